import SluiceAV
import SluiceBitstream
import SluiceCore
import SluiceNodes
import SluiceTransport

/// Takes the RPUs out of a source, converts them, and writes them or the whole picture stream. Blocks.
struct VisionRun {
    var report: VisionReport
    /// Takes RPUs, each behind a start code, as files of extracted RPUs have them.
    var rpus: OutputFile?
    /// Takes the converted picture stream with start codes.
    var pictures: OutputFile?

    private static let startCode: [UInt8] = [0, 0, 0, 1]
    /// Bytes of a file of raw RPUs at most: a feature film's are a tenth of it.
    static let rawLimit: Int64 = 1 << 30

    init(_ conversion: DolbyVisionConversion) {
        report = VisionReport(conversion)
    }

    /// Whether a source is a file of RPUs: a start code, then an RPU with or without its NAL header; or one message of
    /// AV1, with or without its country code.
    static func isRaw(_ head: [UInt8]) -> Bool {
        let starts: [[UInt8]] = [
            [0, 0, 1, 0x19], [0, 0, 0, 1, 0x19], [0, 0, 1, 0x7C, 1, 0x19], [0, 0, 0, 1, 0x7C, 1, 0x19],
        ]
        return (starts + messages).contains { head.starts(with: $0) }
    }

    private static let messages: [[UInt8]] = [[0x00, 0x3B, 0, 0, 8, 0], [0xB5, 0x00, 0x3B, 0, 0, 8, 0]]

    /// A file of RPUs; one that cannot be read is counted, and the next one looked at.
    ///
    /// - Throws: `.malformedInput` where there is not even a start code.
    mutating func read(raw bytes: [UInt8]) throws(NodeFailure) {
        let isMessage = Self.messages.contains { bytes.starts(with: $0) }
        let list = isMessage ? [Self.message(bytes)] : DolbyVisionRPU.each(bytes)
        guard !list.isEmpty else {
            throw NodeFailure(.malformedInput, "\(bytes.count) bytes without a start code; expected 000001 and RPUs")
        }
        for found in list { _ = try take(found) }
    }

    /// - Throws: `.unsupported` where no stream can have RPUs.
    mutating func read(_ reader: inout FormatReader) throws(NodeFailure) {
        let pictures = reader.streams.filter { $0.type == .video && ["hevc", "av1"].contains($0.codec) }
        guard let base = pictures.first else {
            throw NodeFailure(.unsupported, "no stream of HEVC or AV1 pictures: others have no RPUs that are copied")
        }
        // An enhancement layer in a stream of its own carries the RPUs.
        let layer = EnhancementRule.companion(reader.streams, of: base.id, reader.formatName)
        let format = layer.map { reader.streams[$0.index] } ?? base
        if self.pictures != nil, format.id != base.id || format.codec != "hevc" {
            throw NodeFailure(
                .unsupported,
                "stream \(format.id.index) has the RPUs: \(format.codec), beside the pictures of stream \(base.id.index); "
                    + "expected HEVC with its own for --hevc")
        }
        report.declared = format.video?.dolbyVision
        reader.select([format.id])
        if self.pictures != nil { try writeSets(format) }
        while let packet = try reader.readPacket() {
            report.pictures += 1
            if format.codec == "av1" { try openUnits(packet) } else { try units(packet, format) }
        }
    }

    // MARK: - Private

    /// - Returns: the RPU converted, from its NAL header on; nil where that is not possible.
    private mutating func take(_ found: Result<DolbyVisionRPU, NodeFailure>) throws(NodeFailure) -> [UInt8]? {
        let unit: [UInt8]
        do throws(NodeFailure) {
            let rpu = try found.get()
            report.add(rpu)
            let converted = try rpu.converted(to: report.conversion)
            if converted == rpu { report.unchanged += 1 }
            unit = converted.unit
        } catch {
            report.refuse(error)
            return nil
        }
        report.converted += 1
        try rpus?.write([ByteChunk(Self.startCode + unit.dropFirst(2))])
        return unit
    }

    private static func message(_ bytes: [UInt8]) -> Result<DolbyVisionRPU, NodeFailure> {
        do throws(NodeFailure) { return .success(try DolbyVisionRPU(message: bytes)) } catch { return .failure(error) }
    }

    private static func unit(_ bytes: [UInt8]) -> Result<DolbyVisionRPU, NodeFailure> {
        do throws(NodeFailure) { return .success(try DolbyVisionRPU(unit: bytes)) } catch { return .failure(error) }
    }

    private mutating func units(_ packet: Packet, _ format: StreamFormat) throws(NodeFailure) {
        let size = (try? HEVCConfigurationRecord(format.extradata))?.lengthSize ?? 4
        let chunk = ByteChunk(packet)
        let units = chunk.withUnsafeBytes { bytes in NALFraming.measure(bytes, lengthSize: size)?.units(of: bytes) ?? []
        }
        var kept: [ByteChunk] = []
        for range in units {
            let start = chunk.range.lowerBound
            let unit = ByteChunk(chunk.storage, (start + range.lowerBound)..<(start + range.upperBound))
            switch unit.withUnsafeBytes({ HEVCUnitType(header: $0[0]) }) {
            case .dolbyRPU:
                let found = try take(unit.withUnsafeBytes { Self.unit([UInt8]($0)) })
                if pictures != nil, let found { kept.append(ByteChunk(Self.startCode + found)) }
            // Only a minimal layer has to be there.
            case .dolbyEnhancement where report.conversion != .minimalEnhancement: report.enhancementUnits += 1
            default: if pictures != nil { kept += [ByteChunk(Self.startCode), unit] }
            }
        }
        try pictures?.write(kept)
    }

    private mutating func openUnits(_ packet: Packet) throws(NodeFailure) {
        let messages = packet.withUnsafeBytes { bytes in
            OBUs(bytes).filter { $0.type == .metadata && bytes[$0.payload].first == 4 }
                .map { Array(bytes[$0.payload].dropFirst()) }
        }
        // HDR10+ comes in the same kind of unit, by another provider.
        for message in messages where message.starts(with: [0xB5, 0x00, 0x3B]) { _ = try take(Self.message(message)) }
    }

    /// The parameter sets of the configuration, which samples need not repeat.
    private mutating func writeSets(_ format: StreamFormat) throws(NodeFailure) {
        let sets = (try? HEVCConfigurationRecord(format.extradata))?.arrays.flatMap(\.units) ?? []
        for set in sets { try pictures?.write([ByteChunk(Self.startCode + set)]) }
    }
}
