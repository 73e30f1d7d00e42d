import Foundation
import SluiceBitstream
import SluiceCore
import SluiceGraph
import TestTools
import Testing

@testable import Sluice

/// A packaged input: its playlists as text and its segments as bytes.
struct Presentation {
    let folder: String
    let master: String
    let report: PackageReport

    static let graphs = Result {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Graphs")
        return try GraphCatalog(directory: root.standardized.path())
    }

    init(_ input: Result<String, any Error>) async throws {
        let path = try input.get()
        folder = path + ".out"
        try? FileManager.default.removeItem(atPath: folder)
        report = try await Packager(shape: .renditions, graphs: try Self.graphs.get()).run(path, to: folder)
        master = try String(contentsOfFile: folder + "/master.m3u8", encoding: .utf8)
    }

    func lines(_ rendition: String) throws -> [String] {
        try String(contentsOfFile: "\(folder)/\(rendition).m3u8", encoding: .utf8).split(separator: "\n")
            .map(String.init)
    }

    /// EXTINF values in seconds.
    func durations(_ rendition: String) throws -> [Double] {
        try lines(rendition).filter { $0.hasPrefix("#EXTINF:") }.map {
            try #require(Double($0.dropFirst(8).prefix { $0 != "," }))
        }
    }

    func section(_ rendition: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(rendition)/init-0.mp4")))
    }

    func segment(_ rendition: String, _ index: Int) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(rendition)/seg-\(index).m4s")))
    }

    /// Initialization section and the segments from `first` on in one file.
    func joined(_ rendition: String, from first: Int = 0) throws -> String {
        var bytes = try section(rendition)
        for index in first..<(try durations(rendition).count) { bytes += try segment(rendition, index) }
        let path = "\(folder)/\(rendition)-\(first).mp4"
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// Ticks of decoding, durations and presentation of each sample, by segment.
    func samples(_ rendition: String) throws -> (timescale: Double, segments: [[Sample]]) {
        let contents = try InitializationContents(try section(rendition))
        let track = try #require(contents.tracks.first)
        let defaults = contents.tracks.reduce(into: [:]) { $0[$1.id] = $1.defaults }
        let segments = try durations(rendition).indices.map { index in
            let fragments = try FragmentContents.all(in: segment(rendition, index), defaults: defaults)
            let run = try #require(fragments.first?.tracks.first)
            var time = Int64(try #require(run.decodeTime))
            return run.samples.map { sample in
                defer { time += Int64(sample.duration) }
                return Sample(
                    decode: time, presentation: time + sample.compositionOffset, duration: Int64(sample.duration),
                    isSync: sample.isSync)
            }
        }
        return (Double(track.timescale), segments)
    }

    struct Sample {
        var decode: Int64
        var presentation: Int64
        var duration: Int64
        var isSync: Bool
    }

    /// What every recipe expects: segments follow each other without a hole, begin with a sync sample and last what
    /// the playlist says.
    func expectSound(_ rendition: String) throws {
        let (timescale, segments) = try samples(rendition)
        let durations = try durations(rendition)
        let list = try lines(rendition)
        let target = try #require(
            list.first { $0.hasPrefix("#EXT-X-TARGETDURATION:") }.flatMap { Double($0.dropFirst(22)) })
        #expect(list.count > 1 && list[1].hasPrefix("#EXT-X-VERSION:"))
        #expect(list.contains("#EXT-X-ENDLIST"))
        #expect(target >= (durations.max() ?? 0).rounded())
        for (index, samples) in segments.enumerated() {
            let (first, last) = (try #require(samples.first), try #require(samples.last))
            #expect(first.isSync, "\(rendition) segment \(index)")
            #expect(first.decode >= 0 && last.decode < 1 << 40)
            #expect(samples.allSatisfy { $0.duration > 0 })
            #expect(durations[index] >= 0.1)
            if index + 1 < segments.count {
                #expect(last.decode + last.duration == segments[index + 1].first?.decode, "\(rendition) after \(index)")
            }
            let span = Double(last.decode + last.duration - first.decode) / timescale
            let frame = Double(samples.map(\.duration).max() ?? 0) / timescale
            #expect(abs(durations[index] - span) <= frame + 0.001, "\(rendition) segment \(index) lasts \(span)")
        }
    }

    /// What the strict checker finds, where it is there: rules of errors.
    func errors(_ options: [String] = []) throws -> Set<String> {
        guard let checker = Self.checker else { return [] }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: checker)
        process.arguments = ["--json"] + options + [folder + "/master.m3u8"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let found = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let findings = try #require(found["findings"] as? [[String: Any]])
        return Set(findings.filter { $0["level"] as? String == "ERROR" }.compactMap { $0["rule"] as? String })
    }

    private static let checker: String? = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..").standardized
        let shared = ProcessInfo.processInfo.environment["SLUICE_SHARED"] ?? root.appending(path: "shared").path()
        let path = shared + "/tools/hlscheck/hlscheck"
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()
}

/// Decoded by ffmpeg.
enum Decoded {
    static func pictures(_ path: String) throws -> Int {
        let text = try ExternalTool.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of",
                "default=nk=1:nw=1", path,
            ])
        return try #require(Int(String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// Presentation time of the first picture, in seconds, as ffprobe reads the file.
    static func firstPicture(_ path: String) throws -> Double {
        let stamps = try ExternalTool.run(
            "ffprobe",
            ["-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path])
        let times = String(decoding: stamps, as: UTF8.self).split(separator: "\n").compactMap { Double($0) }
        return try #require(times.min())
    }

    /// Seconds from the first decoded sample's stamp to where the sound first reaches half of its peak.
    static func onset(_ path: String) throws -> Double {
        let stamps = try ExternalTool.run(
            "ffprobe",
            ["-v", "error", "-select_streams", "a", "-show_entries", "frame=pts_time", "-of", "csv=p=0", path])
        let text = String(decoding: stamps, as: UTF8.self).split(separator: "\n").first ?? ""
        let first = try #require(Double(text.prefix { $0 != "," }))
        let data = try ExternalTool.run(
            "ffmpeg", ["-v", "error", "-nostdin", "-i", path, "-ac", "1", "-ar", "48000", "-f", "s16le", "pipe:1"])
        let samples = data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        let peak = samples.reduce(0) { max($0, Int($1.magnitude)) }
        let place = try #require(samples.firstIndex { Int($0.magnitude) * 2 >= peak })
        return first + Double(place) / 48_000
    }
}

/// One origin with an engine of its own: a new session.
struct Session {
    let origin: Origin
    let engine: Engine
    let base: String

    init(_ path: String) throws {
        var library = Library()
        try library.mount(path)
        engine = Engine(library: library, graphs: try Presentation.graphs.get())
        origin = Origin(engine: engine)
        base = "/v1/" + library.roots[0].name + "/~/"
    }

    func get(_ name: String) async throws -> [UInt8] {
        let response = await origin.respond(to: Request(path: base + name))
        try #require(response.status == 200, "\(name): \(response.status)")
        switch response.body {
        case .bytes(let bytes): return bytes
        case .chunks(let chunks): return chunks.joined()
        default: return []
        }
    }

    /// Folder of the plan, and the number of segments of the first playlist.
    func open() async throws -> (plan: String, count: Int) {
        let master = String(decoding: try await get("master.m3u8"), as: UTF8.self)
        let media = try #require(master.split(separator: "\n").last { !$0.hasPrefix("#") })
        let text = String(decoding: try await get(String(media)), as: UTF8.self)
        let count = text.split(separator: "\n").count { $0.hasPrefix("#EXTINF") }
        return (String(media.split(separator: "/")[0]), count)
    }
}
