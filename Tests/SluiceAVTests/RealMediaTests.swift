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

    /// Every eleventh file; with `SLUICE_ALL_MEDIA` set, all whose path contains its value.
    static func files() throws -> [String] {
        guard let directory else { return [] }
        let lines = try String(contentsOfFile: directory + "/manifest.tsv", encoding: .utf8).split(separator: "\n")
        let all = lines.dropFirst().compactMap { $0.split(separator: "\t").first.map { directory + "/" + $0 } }
            // ffprobe follows the addresses in manifests, and never ends on some; the reader has its own tests for them.
            .filter { path in !["/hls/", "/dash/", "/disc/"].contains { path.contains($0) } }
        if let part = ProcessInfo.processInfo.environment["SLUICE_ALL_MEDIA"] {
            return all.filter { $0.contains(part) }
        }
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
        // ffprobe gives up where parameters stay unknown; packets can be copied all the same.
        guard let oracle else { return nil }
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
        } catch {
            guard error.code == .malformedInput else { return "read \(found.count) of \(expected.count): \(error)" }
        }
        return compare(found, expected)
    }

    private func compare(_ found: [Line], _ expected: [Line]) -> String? {
        // ffprobe stops at the first packet that cannot be read, the reader goes on.
        if found.starts(with: expected) { return nil }
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

    /// DM-04: no decoder here knows AC-4, so nothing could complete its parameters; it is listed and left out.
    @Test func soundWithoutADecoderIsListedButNotRead() throws {
        let directory = try #require(RealMedia.directory)
        var reader = try FormatReader(source: DiskSource(directory + "/audio/exo_sample_ac4.mp4"))
        #expect(reader.streams.map(\.type) == [.audio])
        #expect(reader.streams.map(\.codec) == ["ac4"])
        #expect(reader.streams.map(\.parked) == [.undecodable])
        #expect(try reader.readPacket() == nil)
    }
}
