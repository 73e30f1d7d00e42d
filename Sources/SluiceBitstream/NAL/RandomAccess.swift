/// What a sample is as a point to start decoding at, told from its NAL units.
public enum RandomAccess: Sendable, Hashable {
    /// Nothing before it is needed, and nothing after it refers to what came before.
    case idr
    /// HEVC clean random access: leading pictures may need what came before.
    case cra
    /// HEVC broken link access: leading pictures are to be dropped.
    case bla
    /// H.264 picture with a recovery point message: clean after `frames` pictures.
    case recoveryPoint(frames: Int)
    /// HEVC leading picture that cannot be decoded from its CRA on.
    case skippedLeading
    /// HEVC leading picture that can be decoded from its IRAP on.
    case decodableLeading
    /// Any other picture.
    case dependent

    /// Whether a segment may begin here.
    public var isRandomAccessPoint: Bool {
        switch self {
        case .idr, .cra, .bla, .recoveryPoint: true
        case .skippedLeading, .decodableLeading, .dependent: false
        }
    }

    /// Of an H.264 sample; nil where it has no slice.
    public static func h264(_ bytes: UnsafeRawBufferPointer, framing: NALFraming) -> RandomAccess? {
        var recovery: Int?
        func look(_ unit: Range<Int>) -> RandomAccess? {
            let type = H264UnitType(header: bytes[unit.lowerBound])
            if type == .sei { recovery = recovery ?? recoveryFrames(UnsafeRawBufferPointer(rebasing: bytes[unit])) }
            guard type.isSlice else { return nil }
            return type == .idr ? .idr : recovery.map { .recoveryPoint(frames: $0) } ?? .dependent
        }
        return first(bytes, framing, look)
    }

    /// Of an HEVC sample; nil where it has no slice.
    public static func hevc(_ bytes: UnsafeRawBufferPointer, framing: NALFraming) -> RandomAccess? {
        first(bytes, framing) { unit in
            let type = HEVCUnitType(header: bytes[unit.lowerBound])
            guard type.isSlice else { return nil }
            if type.isIDR { return .idr }
            if type.isBLA { return .bla }
            if type.isIRAP { return .cra }
            if type.isRASL { return .skippedLeading }
            return type.isRADL ? .decodableLeading : .dependent
        }
    }

    private static func first(
        _ bytes: UnsafeRawBufferPointer, _ framing: NALFraming, _ look: (Range<Int>) -> RandomAccess?
    ) -> RandomAccess? {
        switch framing {
        case .annexB: for unit in AnnexBUnits(bytes) { if let kind = look(unit) { return kind } }
        case .lengthPrefixed(let size):
            for unit in LengthPrefixedUnits(bytes, lengthSize: size) { if let kind = look(unit) { return kind } }
        }
        return nil
    }

    /// `recovery_frame_cnt` of the first recovery point message.
    ///
    /// - Note: ITU-T H.264 §7.3.2.3.1, §D.1.8 (payload type 6).
    private static func recoveryFrames(_ unit: UnsafeRawBufferPointer) -> Int? {
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: unit[1...]), escaped: true)
        while !bits.overran {
            let type = variable(&bits)
            let size = variable(&bits)
            guard !bits.overran else { return nil }
            if type == 6 {
                let count = bits.ue()
                return bits.overran ? nil : Int(count)
            }
            // A type of 0x80 is the trailing bits, not a message.
            guard size <= unit.count else { return nil }
            bits.skip(size * 8)
        }
        return nil
    }

    /// A number written as bytes of 255 and a last byte.
    private static func variable(_ bits: inout BitReader) -> Int {
        var value = 0
        while !bits.overran {
            let byte = Int(bits.u(8))
            value += byte
            if byte != 255 { break }
        }
        return value
    }
}
