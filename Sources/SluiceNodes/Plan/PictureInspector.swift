import SluiceBitstream
import SluiceCore

/// Looks at the heads of pictures: what they are, and the parameter sets they bring. Pure.
struct PictureInspector {
    enum Codec {
        case h264, hevc, av1, vp9, other
    }

    let codec: Codec
    /// Nil until a picture has shown it.
    private(set) var framing: NALFraming?
    /// Length of unit lengths, as the configuration declares it.
    private let lengthSize: Int
    /// Nil for codecs whose pictures are shown in coding order.
    var counter: PictureOrderCounter?
    /// The first field of a frame whose second one may come next.
    var openField: PictureOrder.Field?
    /// The last frame is not shown.
    var isHidden = false
    /// The last packet has a slice, as far as was looked.
    var hasSlice = false
    /// The last packet has parameter sets before its first slice.
    var hasSets = false

    init(_ format: StreamFormat) {
        switch format.codec {
        case "h264": codec = .h264
        case "hevc": codec = .hevc
        case "av1": codec = .av1
        case "vp9": codec = .vp9
        default: codec = .other
        }
        lengthSize = Self.lengthSize(codec, format.extradata)
        if codec == .h264 || codec == .hevc {
            counter = PictureOrderCounter(isHEVC: codec == .hevc)
            counter?.take(ParameterSetRule.sets(format.extradata, codec: codec))
        }
    }

    /// For a stream whose framing is known.
    init(_ format: StreamFormat, framing: NALFraming?) {
        self.init(format)
        self.framing = framing
    }

    private static func lengthSize(_ codec: Codec, _ extradata: [UInt8]) -> Int {
        switch codec {
        case .h264: (try? AVCConfigurationRecord(extradata))?.lengthSize ?? 4
        case .hevc: (try? HEVCConfigurationRecord(extradata))?.lengthSize ?? 4
        default: 4
        }
    }

    /// - Parameters:
    ///   - isFlagged: what the container says about the picture.
    ///   - size: bytes of the whole sample, where these are its head.
    mutating func look(_ bytes: UnsafeRawBufferPointer, isFlagged: Bool, size: Int? = nil) -> PictureKind {
        switch codec {
        case .h264, .hevc:
            guard let framing = framing ?? measured(bytes) else { return isFlagged ? .keyFrame : .dependent }
            let kind = codec == .h264 ? h264(bytes, framing, isFlagged) : hevc(bytes, framing, isFlagged)
            // What cannot be decoded opens nothing.
            return kind.isRandomAccessPoint && overruns(bytes, framing, size ?? bytes.count) ? .dependent : kind
        case .av1: return isFlagged && (Self.isAV1Key(bytes) || OBUs.isKeyFrame(bytes)) ? .keyFrame : .dependent
        case .vp9: return VP9FrameHeader(bytes)?.isKeyFrame ?? isFlagged ? .keyFrame : .dependent
        case .other: return isFlagged ? .keyFrame : .dependent
        }
    }

    /// Whether the first slice claims to end behind its sample: then it is left out with all that follows.
    ///
    /// - Note: behaviours RP-22.
    private func overruns(_ bytes: UnsafeRawBufferPointer, _ framing: NALFraming, _ size: Int) -> Bool {
        guard case .lengthPrefixed(let prefix) = framing else { return false }
        let isH264 = codec == .h264
        let head = AccessUnitHead(bytes, framing: framing) {
            isH264 ? H264UnitType(header: $0).isSlice : HEVCUnitType(header: $0).isSlice
        }
        guard let slice = head.slice, slice >= prefix else { return false }
        let length = bytes[(slice - prefix)..<slice].reduce(0) { $0 << 8 | Int($1) }
        return length > size - slice
    }

    /// An exact walk over the lengths decides, not the first bytes: a length of 1 looks like a start code.
    mutating func measured(_ bytes: UnsafeRawBufferPointer) -> NALFraming? {
        framing = NALFraming.measure(bytes, lengthSize: lengthSize)
        return framing
    }

    /// Whether a sequence header and then a shown key frame begin the unit; its end may be missing.
    ///
    /// - Note: AV1 bitstream specification §5.3, §5.9.2.
    private static func isAV1Key(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        var hasSequence = false
        while offset < bytes.count {
            let header = bytes[offset]
            var cursor = offset + (header & 4 != 0 ? 2 : 1)
            var size = bytes.count
            if header & 2 != 0 {
                (size, offset) = (0, cursor)
                while cursor < bytes.count, cursor - offset < 5 {
                    size |= Int(bytes[cursor] & 0x7F) << (7 * (cursor - offset))
                    cursor += 1
                    if bytes[cursor - 1] & 0x80 == 0 { break }
                }
            }
            switch header >> 3 & 15 {
            case 1: hasSequence = true
            // show_existing_frame 0, frame_type KEY_FRAME 00, show_frame 1.
            case 3, 6: return hasSequence && cursor < bytes.count && bytes[cursor] & 0xF0 == 0x10
            default: break
            }
            offset = cursor + size
        }
        return false
    }

    private func h264(_ bytes: UnsafeRawBufferPointer, _ framing: NALFraming, _ isFlagged: Bool) -> PictureKind {
        let head = AccessUnitHead(bytes, framing: framing) { H264UnitType(header: $0).isSlice }
        guard let slice = head.slice else { return .dependent }
        if H264UnitType(header: bytes[slice]) == .idr { return .idr }
        // An Annex B walk would go through the slice data for its end.
        let view =
            framing == .annexB
            ? UnsafeRawBufferPointer(rebasing: bytes[0..<min(bytes.count, slice + 2)]) : bytes
        if head.units.contains(where: { H264UnitType(header: bytes[$0.lowerBound]) == .sei }),
            case .recoveryPoint(let frames)? = RandomAccess.h264(view, framing: framing), frames == 0
        {
            return .recoveryPoint
        }
        return isFlagged && Self.isIntraSlice(bytes, slice) ? .intra : .dependent
    }

    private func hevc(_ bytes: UnsafeRawBufferPointer, _ framing: NALFraming, _ isFlagged: Bool) -> PictureKind {
        let head = AccessUnitHead(bytes, framing: framing) { HEVCUnitType(header: $0).isSlice }
        guard let slice = head.slice else { return .dependent }
        let type = HEVCUnitType(header: bytes[slice])
        if type.isIDR { return .idr }
        if type.isBLA { return .bla }
        if type.isIRAP { return .cra }
        if type.isRASL { return .skippedLeading }
        return type.isRADL ? .decodableLeading : .dependent
    }

    /// The parameter sets before the first slice, in order.
    func parameterSets(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
        guard let framing, codec == .h264 || codec == .hevc else { return [] }
        let isH264 = codec == .h264
        let head = AccessUnitHead(bytes, framing: framing) {
            isH264 ? H264UnitType(header: $0).isSlice : HEVCUnitType(header: $0).isSlice
        }
        var sets: [[UInt8]] = []
        for unit in head.units {
            let first = bytes[unit.lowerBound]
            let isSet =
                isH264 ? H264UnitType(header: first).isParameterSet : HEVCUnitType(header: first).isParameterSet
            let set = isSet ? [UInt8](bytes[unit]) : []
            if isSet, !sets.contains(set) { sets.append(set) }
        }
        return sets
    }

    /// `slice_type` of 2 or 7: only intra macroblocks, in this slice at least.
    ///
    /// - Note: ITU-T H.264 §7.3.3.
    private static func isIntraSlice(_ bytes: UnsafeRawBufferPointer, _ slice: Int) -> Bool {
        var bit = (slice + 1) * 8
        func next() -> UInt32? {
            guard bit / 8 < bytes.count else { return nil }
            defer { bit += 1 }
            return UInt32(bytes[bit / 8] >> UInt8(7 - bit % 8) & 1)
        }
        func number() -> UInt32? {
            var zeros = 0
            while let value = next(), value == 0 {
                zeros += 1
                if zeros > 24 { return nil }
            }
            var value: UInt32 = 1
            for _ in 0..<zeros {
                guard let more = next() else { return nil }
                value = value << 1 | more
            }
            return value - 1
        }
        guard number() != nil, let type = number() else { return false }
        return type % 5 == 2
    }
}
