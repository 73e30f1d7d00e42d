public import SluiceBitstream
import SluiceCore

/// What is known of how the pictures of a stream are to be shown: colour from the parameter sets, else the container;
/// mastering display and light levels from the container, else the messages of the first picture. Pure.
public struct PictureSignal: Sendable, Hashable {
    /// nil where nothing is stated.
    public var color: ColorDescription?
    public var mastering: SluiceBitstream.MasteringDisplay?
    public var contentLight: SluiceBitstream.ContentLightLevel?
    /// Metadata of each picture that the first one carries.
    public var dynamic: [RegisteredMetadata] = []
    /// What the first Dolby Vision RPU is; nil where there is none, or none that can be read.
    public var rpu: DolbyVisionProfile?

    /// Transfer characteristics of perceptual quantization and of hybrid log-gamma.
    ///
    /// - Note: ISO/IEC 23091-2 table 3.
    static let perceptual: UInt8 = 16
    static let hybridLogGamma: UInt8 = 18

    /// - Parameters:
    ///   - coded: colour of the parameter sets or of the sequence header.
    ///   - first: what was kept of the first picture (``FirstUnitRule``).
    init(_ format: StreamFormat, coded: ColorDescription?, first: [UInt8]) {
        let declared = format.video.map(Self.declared)
        color = Self.merged(declared, coded)
        mastering = format.video?.masteringDisplay.map(Self.mastering)
        contentLight = format.video?.lightLevel.map {
            ContentLightLevel(
                maximumContent: UInt16(clamping: $0.maximumContent),
                maximumFrameAverage: UInt16(clamping: $0.maximumFrameAverage))
        }
        first.withUnsafeBytes { take(picture: $0, of: format, framing: .lengthPrefixed(4)) }
    }

    mutating func note(_ kind: RegisteredMetadata) {
        if !dynamic.contains(kind) { dynamic.append(kind) }
    }

    /// - Parameter framing: nil measures.
    mutating func take(picture bytes: UnsafeRawBufferPointer, of format: StreamFormat, framing: NALFraming? = nil) {
        switch format.codec {
        case "hevc", "h264":
            let framing = framing ?? NALFraming.measure(bytes, lengthSize: FirstUnitRule.lengthSize(format))
            for unit in framing?.units(of: bytes) ?? [] { take(unit: bytes[unit], isHEVC: format.codec == "hevc") }
        case "av1": for unit in OBUs(bytes) where unit.type == .metadata { take(metadata: bytes[unit.payload]) }
        default: break
        }
    }

    private mutating func take(unit: Slice<UnsafeRawBufferPointer>, isHEVC: Bool) {
        let unit = UnsafeRawBufferPointer(rebasing: unit)
        if isHEVC, HEVCUnitType(header: unit[0]) == .dolbyRPU {
            if rpu == nil { rpu = (try? DolbyVisionRPU(unit: unit))?.profile }
            return
        }
        let isMessage =
            isHEVC
            ? [.prefixSEI, .suffixSEI].contains(HEVCUnitType(header: unit[0]))
            : H264UnitType(header: unit[0]) == .sei
        guard isMessage else { return }
        for message in SEIMessage.list(unit, headerLength: isHEVC ? 2 : 1) {
            if mastering == nil { mastering = message.masteringDisplay }
            if contentLight == nil { contentLight = message.contentLight }
            if let kind = message.registered { note(kind) }
            // Broadcasts that old receivers take for BT.2020 say so here.
            if message.preferredTransfer == Self.hybridLogGamma, color?.transfer != Self.perceptual {
                color = color ?? ColorDescription(primaries: 9, transfer: 2, matrix: 9)
                color?.transfer = Self.hybridLogGamma
            }
        }
    }

    /// - Note: AV1 bitstream specification §5.8: the type, then content light (1), mastering display (2), T.35 (4).
    private mutating func take(metadata: Slice<UnsafeRawBufferPointer>) {
        guard let type = metadata.first else { return }
        var payload = Array(metadata.dropFirst())
        // The trailing bit.
        while payload.last == 0 { payload.removeLast() }
        if payload.last == 0x80 { payload.removeLast() }
        switch type {
        case 1: contentLight = contentLight ?? SEIMessage(type: 144, payload: payload).contentLight
        case 2: mastering = mastering ?? Self.openMastering(payload)
        case 4:
            if let kind = RegisteredMetadata(payload) { note(kind) }
            // Its container says itself where it ends; what looks like a trailing bit may be a part of it.
            if rpu == nil { rpu = (try? DolbyVisionRPU(message: Array(metadata.dropFirst())))?.profile }
        default: break
        }
    }

    // MARK: - Container

    private static func declared(_ video: VideoFormat) -> ColorDescription {
        ColorDescription(
            primaries: UInt8(clamping: video.colorPrimaries), transfer: UInt8(clamping: video.colorTransfer),
            matrix: UInt8(clamping: video.colorMatrix), fullRange: video.fullRange)
    }

    /// Field by field, what the pictures say of themselves first: that is what decoders show, and a container that says
    /// something else has lost it on the way. 0 is reserved in the first two fields.
    private static func merged(_ declared: ColorDescription?, _ coded: ColorDescription?) -> ColorDescription? {
        guard let coded, !coded.isUnspecified else { return declared.flatMap { $0.isUnspecified ? nil : $0 } }
        guard let declared else { return coded }
        func first(_ one: UInt8, _ other: UInt8) -> UInt8 { one == 2 || one == 0 ? other : one }
        return ColorDescription(
            primaries: first(coded.primaries, declared.primaries), transfer: first(coded.transfer, declared.transfer),
            matrix: coded.matrix == 2 ? declared.matrix : coded.matrix,
            fullRange: declared.fullRange || coded.fullRange)
    }

    private static func mastering(_ display: SluiceCore.MasteringDisplay) -> SluiceBitstream.MasteringDisplay {
        let points = [display.green, display.blue, display.red]
        return SluiceBitstream.MasteringDisplay(
            primaries: points.flatMap { [$0.x, $0.y] }, whitePoint: [display.white.x, display.white.y],
            maximumLuminance: display.maximumLuminance, minimumLuminance: display.minimumLuminance)
    }

    /// Chromaticities as fractions of 65,536, red first; luminances as 24.8 and 18.14 fixed point.
    ///
    /// - Note: AV1 bitstream specification §6.7.4.
    private static func openMastering(_ payload: [UInt8]) -> SluiceBitstream.MasteringDisplay? {
        guard payload.count >= 24 else { return nil }
        let words = (0..<8).map { place in
            let value = UInt32(payload[place * 2]) << 8 | UInt32(payload[place * 2 + 1])
            return UInt16(clamping: (value * 50_000 + 32_768) >> 16)
        }
        func fixed(_ offset: Int, shift: UInt64) -> UInt32 {
            let value = payload[offset..<(offset + 4)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return UInt32(clamping: (value * 10_000 + 1 << (shift - 1)) >> shift)
        }
        return SluiceBitstream.MasteringDisplay(
            primaries: Array(words[2..<6] + words[0..<2]), whitePoint: Array(words[6..<8]),
            maximumLuminance: fixed(16, shift: 8), minimumLuminance: fixed(20, shift: 14))
    }
}
