import Foundation
import Testing

/// The ffmpeg command line, which makes the inputs and is the oracle.
enum Tool {
    static let isPresent =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe")

    struct Failure: Error {
        var command: String
        /// 124 where the tool did not end within 30 seconds.
        var status: Int32
    }

    @discardableResult
    static func run(_ name: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = ["30", "/usr/bin/\(name)"] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(command: "\(name) \(arguments.joined(separator: " "))", status: process.terminationStatus)
        }
        return data
    }

    struct Probe: Decodable {
        struct Stream: Decodable {
            var index: Int
            var codec_name: String?
            var codec_type: String?
            var codec_tag: String
            var profile: String?
            var width: Int?
            var height: Int?
            var has_b_frames: Int?
            var pix_fmt: String?
            var level: Int?
            var field_order: String?
            var r_frame_rate: String
            var sample_fmt: String?
            var sample_rate: String?
            var channels: Int?
            var channel_layout: String?
            var time_base: String
            var start_pts: Int64?
            var duration_ts: Int64?
            var bit_rate: String?
            var initial_padding: Int?
            var extradata_size: Int?
            var disposition: [String: Int]
            var tags: [String: String]?
        }
        struct Packet: Decodable {
            var stream_index: Int
            var pts: Int64?
            var dts: Int64?
            var duration: Int64?
            var size: String
            var pos: String?
            var flags: String
        }
        struct Chapter: Decodable {
            var start_time: String
            var end_time: String
            var tags: [String: String]?
        }
        struct Format: Decodable {
            var format_name: String
            var duration: String?
            var start_time: String?
            var tags: [String: String]?
        }
        var streams: [Stream]
        var packets: [Packet]
        var chapters: [Chapter]
        var format: Format
    }

    /// What ffprobe reads, with missing presentation times generated as the reader does.
    static func probe(_ path: String, budgeted: Bool = false) throws -> Probe {
        let budget = budgeted ? ["-probesize", "52428800", "-analyzeduration", "60000000"] : []
        let json = try run(
            "ffprobe",
            ["-v", "error", "-fflags", "+genpts"] + budget
                + ["-show_streams", "-show_packets", "-show_chapters", "-show_format", "-of", "json", path])
        return try JSONDecoder().decode(Probe.self, from: json)
    }
}

/// Inputs made once a run, in a directory removed when the process ends.
enum Sample {
    static let directory: String = {
        let path = NSTemporaryDirectory() + "sluice-av-tests-\(getpid())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: Sample.directory) }
        return path
    }()

    private static let source = [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=24:duration=12", "-f", "lavfi", "-i",
        "sine=frequency=440:sample_rate=48000:duration=12",
    ]
    private static let coders = [
        "-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "48", "-keyint_min",
        "48", "-sc_threshold", "0", "-pix_fmt", "yuv420p", "-c:a", "aac", "-ac", "2", "-flags:v", "+bitexact",
    ]

    static let matroska = Result {
        try make(
            "a.mkv",
            source + coders + [
                "-metadata:s:a:0", "language=GER", "-metadata:s:a:0", "title=Ton", "-disposition:a:0",
                "default+comment",
            ])
    }
    static let mp4 = Result { try make("a.mp4", source + coders + ["-movflags", "+faststart"]) }
    static let transport = Result { try make("a.ts", source + coders) }

    static func make(_ name: String, _ arguments: [String]) throws -> String {
        let path = directory + "/" + name
        try Tool.run("ffmpeg", arguments + [path])
        return path
    }

    static func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = directory + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }
}
