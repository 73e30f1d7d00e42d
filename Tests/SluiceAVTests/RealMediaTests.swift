import Foundation
import SluiceAV
import SluiceCore
import Testing

/// Files of other projects' test suites, read by this reader and by ffprobe.
enum RealMedia {
    static let directory: String? = {
        let root = ProcessInfo.processInfo.environment["SLUICE_SHARED"] ?? "../shared"
        let path = root + "/media"
        return FileManager.default.fileExists(atPath: path + "/manifest.tsv") ? path : nil
    }()

    /// Every eleventh file; all of them with `SLUICE_ALL_MEDIA` set.
    static func files() throws -> [String] {
        guard let directory else { return [] }
        let lines = try String(contentsOfFile: directory + "/manifest.tsv", encoding: .utf8).split(separator: "\n")
        let all = lines.dropFirst().compactMap { $0.split(separator: "\t").first.map { directory + "/" + $0 } }
        if ProcessInfo.processInfo.environment["SLUICE_ALL_MEDIA"] != nil { return all }
        return all.enumerated().filter { $0.offset % 11 == 5 }.map(\.element)
    }
}

@Suite(.enabled(if: Tool.isPresent && RealMedia.directory != nil)) struct RealMediaTests {
    private struct Line: Hashable, CustomStringConvertible {
        var stream: Int
        var presentation: Int64?
        var decode: Int64?
        var size: Int
        var isKey: Bool
        var description: String {
            "\(stream):\(presentation.map(String.init) ?? "-")/\(decode.map(String.init) ?? "-")+\(size)\(isKey ? "K" : "")"
        }
    }

    private func disagreement(_ path: String) throws -> String? {
        if ProcessInfo.processInfo.environment["SLUICE_TRACE_MEDIA"] != nil { print("media", path) }
        let oracle = try? Tool.probe(path, budgeted: true)
        let source = try DiskSource(path)
        var reader: FormatReader
        do throws(NodeFailure) {
            reader = try FormatReader(source: source, hint: path)
        } catch {
            guard let oracle, !oracle.streams.isEmpty else { return nil }
            // Refusals by rule, and bytes that only a signature-less format would claim.
            return error.code == .unsupported || error.code == .notMedia
                ? "refused \(oracle.format.format_name): \(error)" : "failed: \(error)"
        }
        guard let oracle else { return "opened what ffprobe does not" }
        if reader.formatName != oracle.format.format_name { return "format \(reader.formatName)" }
        if reader.streams.count != oracle.streams.count { return "\(reader.streams.count) streams" }
        for (format, stream) in zip(reader.streams, oracle.streams) {
            if format.codec.rawValue != stream.codec_name ?? "none", format.parked == nil,
                stream.codec_name != "unknown"
            {
                return "codec \(format.codec) for \(stream.codec_name ?? "none")"
            }
        }
        let parked = Set(reader.streams.filter { $0.parked != nil }.map(\.id.index))
        let expected = oracle.packets.filter {
            !parked.contains($0.stream_index) && $0.stream_index < reader.streams.count
        }.map {
            Line(
                stream: $0.stream_index, presentation: $0.pts, decode: $0.dts, size: Int($0.size) ?? -1,
                isKey: $0.flags.contains("K"))
        }
        var found: [Line] = []
        do throws(NodeFailure) {
            while let packet = try reader.readPacket() {
                found.append(
                    Line(
                        stream: packet.stream.index, presentation: packet.presentationTicks,
                        decode: packet.decodeTicks, size: packet.byteCount, isKey: packet.isKeyframe))
            }
        } catch { return "read \(found.count) of \(expected.count) packets: \(error)" }
        if found == expected { return nil }
        let first = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }
        return "\(found.count) packets of \(expected.count), first difference "
            + (first.map { "\($0.offset): \($0.element.0) for \($0.element.1)" } ?? "in length")
    }

    @Test func everyFileReadsAsFFprobeReadsIt() throws {
        var differences: [String] = []
        for path in try RealMedia.files() {
            if let text = try disagreement(path) { differences.append("\(path): \(text)") }
        }
        let unexpected = differences.filter { !$0.contains(": refused ") }
        #expect(unexpected.isEmpty, "\(unexpected.joined(separator: "\n"))")
        let wrongRefusals = differences.filter { line in
            line.contains(": refused ")
                && !["hls", "dash", "concat", "_pipe", "image2", "vobsub", "tty", "sbg", "ico", "xbin", "bin", "gif"]
                    .contains { line.contains("refused \($0)") || line.contains("\($0):") }
        }
        #expect(wrongRefusals.isEmpty, "\(wrongRefusals.joined(separator: "\n"))")
    }
}
