import Foundation
import TestTools
import Testing

/// Inputs made once a run by ffmpeg, in a directory of this process.
enum PlanSources {
    static let isPresent = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")
    /// Tools that damage files on purpose; beside the package, where they are there.
    static let shared: String? = {
        let environment = ProcessInfo.processInfo.environment["SLUICE_SHARED"]
        let root = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "Tests" }.joined(separator: "/")
        let paths = [environment, String(root.dropFirst()) + "/../shared"].compactMap(\.self)
        return paths.first { FileManager.default.fileExists(atPath: $0 + "/tools/mk.py") }
    }()

    static let directory: String = {
        let path = NSTemporaryDirectory() + "sluice-plan-tests-\(getpid())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }()

    static let video = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=24000/1001:d=60"]
    static let video24 = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=24000/1001:d=24"]
    static let sound = ["-f", "lavfi", "-i", "sine=f=1000:r=48000:d=60"]
    static let sound24 = ["-f", "lavfi", "-i", "sine=f=1000:r=48000:d=24"]
    static let x264 = ["-c:v", "libx264", "-preset", "ultrafast"]

    /// Ten groups of uneven length, B pictures, AC-3.
    static let irregular = make(
        "irregular.mkv",
        video + sound + x264 + [
            "-bf", "3", "-x264-params", "keyint=9999:scenecut=0", "-force_key_frames",
            "0,6.51,13.10,18.94,26.74,30.62,36.08,42.42,49.22,54.02", "-c:a", "aac",
        ])
    static let irregularMovie = copy(irregular, "irregular.mp4")
    static let irregularTransport = copy(irregular, "irregular.ts")
    /// Without any times, and with decode times alone.
    static let irregularBare = copy(irregular, "irregular.h264", ["-an"])
    static let irregularAVI = Result { () throws -> String in
        let bare = try irregularBare.get()
        return try make("irregular.avi", ["-framerate", "24000/1001", "-i", bare, "-c", "copy"]).get()
    }
    /// HEVC with leading pictures that need the group before.
    static let openGroups = make(
        "opengop.mkv",
        video24 + sound24 + [
            "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
            "log-level=error:open-gop=1:keyint=48:min-keyint=48:scenecut=0:bframes=4:b-pyramid=1", "-c:a", "aac",
        ])
    static let openGroupsMovie = copy(openGroups, "opengop.mp4", ["-tag:v", "hvc1"])
    static let openGroupsTransport = copy(openGroups, "opengop.ts")
    /// HEVC with a deep pyramid in short closed groups.
    static let pyramid = make(
        "reorder.mkv",
        video24 + sound24 + [
            "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
            "log-level=error:open-gop=0:bframes=8:b-pyramid=1:rc-lookahead=20:keyint=21:min-keyint=21:scenecut=0",
            "-c:a", "ac3",
        ])
    static let pyramidMovie = copy(pyramid, "reorder.mp4", ["-tag:v", "hvc1"])
    static let pyramidTransport = copy(pyramid, "reorder.ts")
    /// 60 pictures a second for ten seconds, then two of three.
    static let variable = make(
        "vfr.mkv",
        [
            "-f", "lavfi", "-i", "testsrc2=s=320x180:r=60:d=20", "-vf", "select='if(lt(t,10),1,not(mod(n,3)))'",
            "-vsync", "vfr",
        ]
            + x264 + ["-bf", "2", "-g", "60"])
    static let variableMovie = copy(variable, "vfr.mp4")
    /// Sound that pauses from 10 to 14 s.
    static let soundGap = make(
        "gap.mkv",
        video24 + ["-f", "lavfi", "-i", "sine=f=1000:r=48000:d=24:samples_per_frame=1000"]
            + ["-af", "aselect='not(between(t,10,14))'"] + x264 + ["-bf", "2", "-g", "48", "-c:a", "aac"])
    /// Sound that lies 0.7 s before its pictures in the file.
    static let earlySound = copy(irregular, "early.mkv", ["-bsf:a", "setts=pts=PTS:dts=DTS-700"])
    /// Two clocks in one file.
    static let joined = Result { () throws -> String in
        let part = try make(
            "p1.ts",
            ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=24"] + sound24 + x264 + ["-g", "50", "-c:a", "aac"]
        ).get()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: part))
        let path = directory + "/disc.ts"
        try (bytes + bytes).write(to: URL(fileURLWithPath: path))
        return path
    }
    /// The picture's size changes in the middle.
    static let sizeChange = Result { () throws -> String in
        var joined = Data()
        for (id, width) in [(0, 320), (1, 640)] {
            let part = try make(
                "s\(id).h264",
                ["-f", "lavfi", "-i", "testsrc2=s=\(width)x180:r=25:d=12"] + x264 + [
                    "-bf", "0", "-g", "50", "-x264-params", "sps-id=\(id):repeat-headers=1",
                ]
            ).get()
            joined += try Data(contentsOf: URL(fileURLWithPath: part))
        }
        let raw = directory + "/sps.h264"
        try joined.write(to: URL(fileURLWithPath: raw))
        return try make("spschg.ts", ["-framerate", "25", "-i", raw, "-c", "copy"]).get()
    }

    static func make(_ name: String, _ arguments: [String]) -> Result<String, any Error> {
        Result {
            let path = directory + "/" + name
            try ExternalTool.run("ffmpeg", ["-v", "error", "-y", "-nostdin"] + arguments + [path])
            return path
        }
    }

    static func copy(_ source: Result<String, any Error>, _ name: String, _ options: [String] = []) -> Result<
        String, any Error
    > {
        Result { try make(name, ["-i", try source.get(), "-c", "copy"] + options).get() }
    }
}
