import Foundation
import TestTools
import Testing

/// Faults from the field, made by ffmpeg once a run and then damaged byte by byte where the fault needs it.
enum RecipeInput {
    static let isPresent = ["ffmpeg", "ffprobe"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    static let folder: String = {
        let path = NSTemporaryDirectory() + "sluice-recipes-\(getpid())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }()

    static func picture(_ rate: String, _ seconds: Int) -> [String] {
        ["-f", "lavfi", "-i", "testsrc2=s=160x90:r=\(rate):d=\(seconds)"]
    }
    static func tone(_ seconds: Int) -> [String] { ["-f", "lavfi", "-i", "sine=f=1000:r=48000:d=\(seconds)"] }
    static let x264 = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "3"]
    static func x265(_ parameters: String) -> [String] {
        ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error:" + parameters]
    }

    /// Random access points a few seconds apart, at no even distance.
    static let irregular = make(
        "irregular.mkv",
        picture("24000/1001", 60) + tone(60) + x264 + [
            "-x264-params", "keyint=9999:scenecut=0", "-force_key_frames",
            "0,6.51,13.10,18.94,26.74,30.62,36.08,42.42,49.22,54.02", "-c:a", "ac3",
        ])
    static let irregularMovie = copy(irregular, "irregular.mp4")
    static let irregularTransport = copy(irregular, "irregular.ts")
    /// The same with three of ten cue points left.
    static let sparse = Result { () throws -> String in
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: try irregular.get())))
        try voidCues(&bytes, keeping: 4)
        return try write("sparse.mkv", bytes)
    }
    /// Written to a pipe: neither cues nor a duration.
    static let withoutCues = Result { () throws -> String in
        let bytes = try ExternalTool.run(
            "ffmpeg", ["-v", "error", "-nostdin", "-i", try irregular.get(), "-c", "copy", "-f", "matroska", "pipe:1"])
        return try write("nocues.mkv", [UInt8](bytes))
    }
    static let regularMovie = make("h.mp4", picture("25", 24) + tone(24) + x264 + ["-g", "50", "-c:a", "aac"])
    static let openGroups = make(
        "opengop.mkv",
        picture("24000/1001", 24) + tone(24)
            + x265("open-gop=1:keyint=48:min-keyint=48:scenecut=0:bframes=4:b-pyramid=1") + ["-c:a", "aac"])
    static let openGroupsMovie = copy(openGroups, "opengop.mp4", ["-tag:v", "hvc1"])
    /// A sync sample table that lists the first sample alone.
    static let oneSyncSample = Result { () throws -> String in
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: try openGroupsMovie.get())))
        let place = try #require(find("stss", in: bytes)) - 4
        let size = number(bytes, place)
        put(20, &bytes, place)
        put(1, &bytes, place + 12)
        put(size - 20, &bytes, place + 20)
        bytes.replaceSubrange((place + 24)..<(place + 28), with: Array("free".utf8))
        return try write("stss1.mp4", bytes)
    }
    static let deepPyramid = make(
        "reorder.mkv",
        picture("24000/1001", 30) + tone(30)
            + x265("bframes=8:b-pyramid=1:rc-lookahead=20:keyint=21:min-keyint=21:scenecut=0") + ["-c:a", "ac3"])
    static let deepPyramidMovie = copy(deepPyramid, "reorder.mp4", ["-tag:v", "hvc1"])
    /// A quiet picture, then noise of many times its rate.
    static let peak = make(
        "peak.mkv",
        picture("25", 20) + [
            "-f", "lavfi", "-i", "nullsrc=s=160x90:r=25:d=8,geq=random(1)*255:128:128", "-filter_complex",
            "[0][1]concat=n=2:v=1",
        ] + x264 + ["-crf", "20", "-g", "50"])
    /// 30.0005 s at 44.1 kHz: the last frame holds next to nothing.
    static let sliver = make("sliver.m4a", ["-f", "lavfi", "-i", "sine=r=44100:d=30.0005", "-c:a", "aac"])
    /// A tone that begins at 1 s; priming puts the first packet before 0.
    static func lateTone(_ codec: String, _ name: String) -> Result<String, any Error> {
        make(
            name,
            picture("25", 12) + ["-f", "lavfi", "-i", "aevalsrc='if(gte(t,1),sin(2*PI*1000*t),0)':s=48000:d=12"]
                + x264 + ["-g", "50", "-c:a", codec])
    }
    /// One composition offset with a high bit flipped: the largest that libavformat takes.
    static let wildOffset = Result { () throws -> String in
        let source = make("wild-source.mp4", picture("25", 12) + x264 + ["-g", "50"])
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: try source.get())))
        let table = try #require(find("ctts", in: bytes))
        bytes[table + 12 + 8 * 40 + 4] ^= 0x04
        return try write("wild.mp4", bytes)
    }

    // MARK: - Tools

    static func make(_ name: String, _ arguments: [String]) -> Result<String, any Error> {
        Result {
            let path = folder + "/" + name
            try ExternalTool.run("ffmpeg", ["-v", "error", "-y", "-nostdin"] + arguments + [path])
            return path
        }
    }

    static func copy(
        _ source: Result<String, any Error>, _ name: String, _ options: [String] = []
    ) -> Result<String, any Error> {
        Result { try make(name, ["-i", try source.get(), "-c", "copy"] + options).get() }
    }

    static func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = folder + "/" + name
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// Offset of the last appearance of `name`.
    private static func find(_ name: String, in bytes: [UInt8]) -> Int? {
        Data(bytes).range(of: Data(name.utf8), options: .backwards)?.lowerBound
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func put(_ value: UInt32, _ bytes: inout [UInt8], _ offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index)) }
    }

    /// Turns all but each `step`-th CuePoint into Void elements.
    private static func voidCues(_ bytes: inout [UInt8], keeping step: Int) throws {
        func size(_ place: Int) -> (value: Int, length: Int) {
            let length = bytes[place].leadingZeroBitCount + 1
            var value = Int(bytes[place]) & ((1 << (8 - length)) - 1)
            for index in 1..<max(length, 1) { value = value << 8 | Int(bytes[place + index]) }
            return (value, length)
        }
        let cues = Data([0x1C, 0x53, 0xBB, 0x6B])
        let place = try #require(Data(bytes).range(of: cues, options: .backwards)).upperBound
        let all = size(place)
        var offset = place + all.length
        let end = offset + all.value
        var count = 0
        while offset < end {
            let point = size(offset + 1)
            if bytes[offset] == 0xBB {
                if count % step != 0 { bytes[offset] = 0xEC }
                count += 1
            }
            offset += 1 + point.length + point.value
        }
        try #require(count == 10)
    }
}
