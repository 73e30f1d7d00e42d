import Foundation
import SluiceGraph
import Testing

/// `package` writes a presentation that ffmpeg decodes whole, and `verify` tells a sound one from a damaged one.
@Suite(.enabled(if: Sample.hasTools)) struct PackageCommandTests {
    @Test func everyPictureOfTheSourceIsInThePresentation() throws {
        let movie = try Sample.movie.get()
        let folder = Sample.folder.appending(path: "package").path
        let made = try Subprocess.run(["package", movie, folder, "--target", "2s", "--json"])
        #expect(made.code == 0, "\(made.errors)")
        let report = try Sample.parse(made.output)
        #expect(report["basis"]?.text == "scan")

        let show = ["-count_packets", "-select_streams", "v", "-show_streams"]
        let wanted = try Sample.ffprobe(movie, show)["streams"]?[0]?["nb_read_packets"]?.text
        let copied = try Sample.ffprobe(folder + "/video.m3u8", show)["streams"]?[0]?["nb_read_packets"]?.text
        #expect(wanted == "144" && copied == wanted)

        let sound = try Subprocess.run(["verify", folder, "--json"])
        #expect(sound.code == 0, "\(sound.output)")
        let verified = try Sample.parse(sound.output)
        #expect(verified["segments"]?.number == report["segments"]?.number.map { $0 * 2 })

        // A segment cut in half.
        let segment = URL(fileURLWithPath: folder + "/video/seg-0.m4s")
        let bytes = try Data(contentsOf: segment)
        try bytes.prefix(bytes.count / 2).write(to: segment)
        let damaged = try Subprocess.run(["verify", folder])
        #expect(damaged.code == 1)
        #expect(damaged.output.contains("video.m3u8 segment 0"))
    }

    @Test func whatCannotBeCarriedIsRefusedWithAReason() throws {
        let path = Sample.folder.appending(path: "old.avi").path
        _ = try Sample.tool(
            "ffmpeg",
            ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=1", "-c:v", "mpeg4", path])
        let result = try Subprocess.run(["package", path, Sample.folder.appending(path: "old").path, "--json"])
        #expect(result.code == 1)
        #expect(try Sample.parse(result.output)["error"]?["code"]?.text == "unsupported")
    }
}
