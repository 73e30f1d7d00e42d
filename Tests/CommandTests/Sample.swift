import Foundation
import SluiceGraph
import TestTools
import Testing

/// Inputs of the command tests, made once a run with ffmpeg, and what ffprobe says about them.
enum Sample {
    static let hasTools =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe") && Subprocess.program != nil

    static let folder: URL = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-command-tests-\(getpid())")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }()

    /// Three streams, two chapters, a title: 6 s at 24 pictures a second.
    static let movie = Result {
        try write(
            "chapters.txt",
            """
            ;FFMETADATA1
            title=Sluice sample
            [CHAPTER]
            TIMEBASE=1/1000
            START=0
            END=2500
            title=One
            [CHAPTER]
            TIMEBASE=1/1000
            START=2500
            END=6000
            title=Two

            """)
        try write("lines.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04,500\nBye\n")
        let path = folder.appending(path: "movie.mkv").path
        try ExternalTool.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=24:duration=6", "-f", "lavfi",
                "-i", "sine=frequency=440:sample_rate=48000:duration=6", "-i", folder.appending(path: "lines.srt").path,
                "-i", folder.appending(path: "chapters.txt").path, "-map", "0:v", "-map", "1:a", "-map", "2:s",
                "-map_metadata", "3", "-map_chapters", "3", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2",
                "-g", "48", "-pix_fmt", "yuv420p", "-c:a", "aac", "-ac", "2", "-c:s", "srt", "-metadata:s:a:0",
                "language=ger", "-metadata:s:a:0", "title=Ton", "-metadata:s:s:0", "language=eng",
                "-disposition:s:0", "forced", path,
            ])
        return path
    }

    /// The movie's pictures and sound on a clock that begins at 100 s.
    static let lateMovie = Result {
        let path = folder.appending(path: "late.mkv").path
        try ExternalTool.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-i", try movie.get(), "-map", "0:v", "-map", "0:a", "-c", "copy",
                "-output_ts_offset", "100", path,
            ])
        return path
    }

    /// Reader, demuxer, hash sink.
    static let probeGraph = Result {
        try write(
            "probe.json",
            """
            {
              "schema": "sluice/1", "name": "probe", "summary": "Hashes packets.",
              "select": { "shape": "probe", "priority": 9,
                          "when": [ { "field": "request.output", "equals": "probe" } ] },
              "options": { "hash": { "type": "choice", "choices": ["MD5", "SHA256"], "default": "MD5",
                                     "summary": "Hash of payloads." } },
              "nodes": {
                "reader": { "kind": "reader", "options": { "url": "${source.url}" } },
                "demuxer": { "kind": "demuxer", "thread": "dedicated" },
                "sink": { "kind": "hash-sink", "options": { "algorithm": "${hash}" } }
              },
              "links": [
                { "from": "reader.bytes", "to": "demuxer.bytes" },
                { "from": "demuxer.packets", "to": "sink.packets" }
              ]
            }
            """)
    }

    /// The same with a port that does not exist, in line 7, column 49.
    static let brokenGraph = Result {
        try write(
            "broken.json",
            """
            { "schema": "sluice/1", "name": "broken",
              "nodes": {
                "reader": { "kind": "reader", "options": { "url": "${source.url}" } },
                "demuxer": { "kind": "demuxer", "thread": "dedicated" },
                "sink": { "kind": "hash-sink" } },
              "links": [ { "from": "reader.bytes", "to": "demuxer.bytes" },
                         { "from": "demuxer.packets", "to": "sink.packts" } ] }
            """)
    }

    @discardableResult
    static func write(_ name: String, _ text: String) throws -> String {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// What ffprobe says, with presentation times generated as the reader does.
    static func ffprobe(_ path: String, _ show: [String]) throws -> JSONValue {
        let data = try ExternalTool.run(
            "ffprobe", ["-v", "error", "-fflags", "+genpts"] + show + ["-of", "json", path])
        return try parse(String(decoding: data, as: UTF8.self))
    }

    /// Exactly one strict JSON document.
    static func parse(_ text: String) throws -> JSONValue {
        let (node, findings) = JSONDocument.parse(Array(text.utf8), file: "output")
        try #require(findings.isEmpty, "\(findings)")
        return try #require(node).value
    }
}

extension JSONValue {
    var number: Int? { if case .integer(let value) = self { value } else { nil } }
    var isNull: Bool { self == .null }
    var real: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
    subscript(index: Int) -> JSONValue? { elements.flatMap { $0.indices.contains(index) ? $0[index] : nil } }
}
