import Glibc
import SluiceCore

/// The film that the media benchmarks read: 100 s of 720p H.264 and AAC at about 4 Mbit/s, in three containers.
///
/// ffmpeg makes it at first use and it stays in the temporary folder, so that later runs begin at once.
enum BenchmarkFilm: String, CaseIterable {
    case mkv, mp4, ts

    static let pictures = 2_500
    static let sounds = 4_680
    static var packets: Int { pictures + sounds }

    /// Folder of the three files; they are one another's copies and are made together.
    private static let folder = Result { () throws(NodeFailure) -> String in try made() }

    /// Path of the film; makes it where it is not there yet.
    func path() throws -> String { try Self.folder.get() + "/film.\(rawValue)" }

    /// Bytes of the file; nil where it cannot be had.
    var size: Int? {
        guard let path = try? path() else { return nil }
        var info = stat()
        return stat(path, &info) == 0 ? Int(info.st_size) : nil
    }

    private static func made() throws(NodeFailure) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let folder = "\(parent)/sluice-bench-1-\(getuid())"
        var info = stat()
        if stat(folder, &info) == 0 {
            guard info.st_uid == getuid() else { throw NodeFailure(.accessDenied, "'\(folder)' belongs to another") }
            return folder
        }
        let draft = folder + ".\(getpid())"
        guard mkdir(draft, 0o700) == 0 else { throw NodeFailure(.accessDenied, "folder '\(draft)' cannot be made") }
        let seed = "\(draft)/seed.mkv"
        try ffmpeg(
            "-f lavfi -i testsrc2=size=1280x720:rate=25:duration=10,noise=alls=20:allf=t "
                + "-f lavfi -i sine=frequency=440:beep_factor=4:sample_rate=48000:duration=10 "
                + "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 50 -b:v 4M -maxrate 5M -bufsize 4M "
                + "-c:a aac -b:a 128k \(seed)")
        let copy = "-map 0 -c copy -frames:v \(pictures) -frames:a \(sounds)"
        try ffmpeg("-stream_loop 11 -i \(seed) \(copy) \(draft)/film.mkv")
        unlink(seed)
        for other in ["mp4", "ts"] { try ffmpeg("-i \(draft)/film.mkv \(copy) \(draft)/film.\(other)") }
        guard rename(draft, folder) == 0 else { throw NodeFailure(.accessDenied, "'\(folder)' cannot be made") }
        return folder
    }

    /// Runs ffmpeg with words that hold no spaces.
    static func ffmpeg(_ words: String) throws(NodeFailure) {
        let fixed = "ffmpeg -nostdin -hide_banner -loglevel error -y"
        var arguments = "\(fixed) \(words)".split(separator: " ").map { strdup(String($0)) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child = pid_t()
        guard posix_spawnp(&child, "ffmpeg", nil, nil, &arguments, environ) == 0 else {
            throw NodeFailure(.notFound, "ffmpeg is needed to make the film; run 'make setup'")
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw NodeFailure(.internalInvariant, "ffmpeg ended with status \(status): \(words)") }
    }
}
