import SluiceCore

@testable import SluiceBitstream

/// RPUs made of values, none of them read from anywhere.
enum SampleRPUs {
    static func coefficient(_ whole: Int32, _ fraction: UInt32 = 0) -> RPUCoefficient {
        RPUCoefficient(whole: whole, fraction: fraction)
    }

    static let signal: RPUSignal = {
        var signal = RPUSignal(
            toRGB: [1, -2, 3, -4, 5, -6, 7, -8, 9], offsets: [1, .max, 3], toLMS: Array(repeating: -32768, count: 9),
            transfer: 65535, transferParameters: [0, 0, 0], depth: 12, colorSpace: 2, chromaFormat: 0, fullRange: 1,
            minimumPQ: 62, maximumPQ: 3696, diagonal: 42)
        signal.toRGB[8] = 32767
        return signal
    }()

    static let level1 = RPUMetadataBlock(level: 1, [0, 2081, 819])
    static let level5 = RPUMetadataBlock(level: 5, [0, 0, 280, 280])
    static let level6 = RPUMetadataBlock(level: 6, [1000, 1, 900, 400])

    static func display(_ signal: RPUSignal? = signal, extended: [RPUMetadataBlock?]? = nil) -> RPUDisplay {
        RPUDisplay(
            affectedID: 0, currentID: 0, sceneRefresh: 1, signal: signal,
            blocks: [level1, level5, level6].compactMap(\.self), extendedBlocks: extended?.compactMap(\.self))
    }

    /// Two pieces of luma, chroma mixed in two orders.
    static func curves(_ form: RPUCoefficient.Form = .fixed(fractionBits: 23)) -> [RPUCurve] {
        let chroma = RPUCurve(
            pivots: [0, 1023],
            pieces: [
                .regression(
                    coefficient(form == .float ? 0 : -3, 0x12_3456),
                    orders: (0..<2).map { order in
                        (0..<7).map { coefficient(form == .float ? 0 : Int32($0) - 3, UInt32(order * 7 + $0)) }
                    })
            ])
        let luma = RPUCurve(
            pivots: [0, 512, 511],
            pieces: [
                .polynomial([RPUCoefficient(0, form), RPUCoefficient(1, form), coefficient(0, 77)]),
                .polynomial([coefficient(0, 5), RPUCoefficient(1, form)]),
            ])
        return [luma, chroma, chroma]
    }

    static func header(
        _ form: RPUCoefficient.Form = .fixed(fractionBits: 23), hasEnhancement: Bool = false
    ) -> RPUHeader {
        var header = RPUHeader.profile8
        header.coefficients = form
        header.hasEnhancementFilter = hasEnhancement
        header.isResidualDisabled = !hasEnhancement
        return header
    }

    /// Profile 7, full enhancement layer.
    static func full(_ form: RPUCoefficient.Form = .fixed(fractionBits: 23)) -> DolbyVisionRPU {
        let header = header(form, hasEnhancement: true)
        var residual = RPUResidual.minimal(header)
        residual.components[1].offset = 512
        residual.components[2].slope = coefficient(0, 3)
        let mapping = RPUMapping(id: 0, curves: curves(form), residual: residual, partitions: [0, 0])
        return DolbyVisionRPU(header: header, source: .coded(mapping), display: display())
    }

    /// Profile 7, minimal enhancement layer.
    static func minimal() -> DolbyVisionRPU {
        let header = header(hasEnhancement: true)
        let mapping = RPUMapping(id: 0, curves: curves(), residual: .minimal(header), partitions: [0, 0])
        return DolbyVisionRPU(header: header, source: .coded(mapping), display: display())
    }

    static func profile5() -> DolbyVisionRPU {
        var header = header()
        header.profile = 0
        header.isFullRange = true
        return DolbyVisionRPU(header: header, source: .coded(.identity(header)), display: display())
    }

    static func profile81(extended: [RPUMetadataBlock?]? = nil) -> DolbyVisionRPU {
        var signal = signal
        signal.setCompatible()
        return DolbyVisionRPU(
            header: header(), source: .coded(.identity(header())), display: display(signal, extended: extended))
    }

    /// Every level of version 4.0 that has fields, in every length, and two that have none.
    static func everyLevel() -> DolbyVisionRPU {
        let levels: [UInt8] = [3, 8, 9, 10, 11, 254]
        let known = levels.flatMap { level in
            RPUMetadataLayout.of(level: level).map { layout in
                RPUMetadataBlock(
                    level: level,
                    layout.fields.enumerated().map { UInt32($0.offset + 1) & (1 << UInt32($0.element.width) - 1) })
            }
        }
        let unknown = [
            RPUMetadataBlock(level: 15, bytes: [1, 2, 3]), RPUMetadataBlock(level: 253, bytes: []),
        ]
        var rpu = profile81(extended: known + unknown)
        rpu.display?.blocks += [
            RPUMetadataBlock(level: 2, [2081, 2048, 2048, 2048, 2048, 2048, 0x1FFF]),
            RPUMetadataBlock(level: 4, [1, 4095]), RPUMetadataBlock(level: 255, [1, 2, 3, 4, 5, 6]),
        ].compactMap(\.self)
        return rpu
    }

    static var all: [(name: String, rpu: DolbyVisionRPU)] {
        var previous = profile81()
        previous.source = .previous(3)
        var compressed = profile81()
        compressed.header.compression = 1
        compressed.display?.signal = nil
        var silent = minimal()
        silent.display = nil
        var trailing = profile81(extended: [RPUMetadataBlock(level: 254, [0, 2])])
        trailing.remainder = [0, 0, 1, 0, 0, 0]
        var packed = full()
        packed.header.extendedMapping = 0xA5
        var shifted = profile81()
        shifted.source = .coded(.hybridLogGamma)
        return [
            ("full", full()), ("float", full(.float)), ("minimal", minimal()), ("profile5", profile5()),
            ("profile81", profile81()), ("profile84", shifted), ("levels", everyLevel()), ("previous", previous),
            ("compressed", compressed), ("silent", silent), ("trailing", trailing), ("packed", packed),
        ]
    }

    /// `content` between the prefix byte and a checksum that fits.
    static func sealed(_ content: [UInt8]) -> [UInt8] {
        let sum = MPEG2Checksum.of(content)
        return [0x19] + content + ([24, 16, 8, 0] as [UInt32]).map { UInt8(truncatingIfNeeded: sum >> $0) } + [0x80]
    }

    /// What lies between the prefix byte and the checksum.
    static func content(_ rpu: DolbyVisionRPU) -> [UInt8] { Array(rpu.payload.dropFirst().dropLast(5)) }
}
