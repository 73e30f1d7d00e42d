import Foundation
import SluiceGraph
import TestTools
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
        _ = try ExternalTool.run(
            "ffmpeg",
            ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=1", "-c:v", "mpeg4", path])
        let result = try Subprocess.run(["package", path, Sample.folder.appending(path: "old").path, "--json"])
        #expect(result.code == 1)
        #expect(try Sample.parse(result.output)["error"]?["code"]?.text == "unsupported")
    }

    @Test func segmentsWithoutLengthAreRefused() throws {
        let (movie, folder) = (try Sample.movie.get(), Sample.folder.appending(path: "none").path)
        for command in [["package", movie, folder], ["plan", movie], ["plan", movie, "--basis", "scan"]] {
            let none = try Subprocess.run(command + ["--target", "0"])
            #expect(none.code == 1)
            #expect(none.errors.contains("invalid-option"))
        }
    }

    /// A link that drops would leave holes that nobody sees.
    @Test func aGraphThatMayLosePacketsIsRefused() throws {
        let graphs = Sample.folder.appending(path: "lossy-graphs")
        try FileManager.default.createDirectory(at: graphs, withIntermediateDirectories: true)
        let native = Subprocess.packageRoot.appending(path: "Graphs/native-loopback.json")
        let text = try String(contentsOf: native, encoding: .utf8)
        let lossy = text.replacing(
            "\"to\": \"muxer.packets\" }", with: "\"to\": \"muxer.packets\", \"overflow\": \"dropOldest\" }")
        #expect(lossy != text)
        try lossy.write(to: graphs.appending(path: "native-loopback.json"), atomically: true, encoding: .utf8)
        let folder = Sample.folder.appending(path: "lossy").path
        let result = try Subprocess.run(
            ["package", try Sample.movie.get(), folder, "--graphs", graphs.path, "--json"])
        #expect(result.code == 1)
        #expect(try Sample.parse(result.output)["error"]?["code"]?.text == "invalid-option")
        #expect(!FileManager.default.fileExists(atPath: folder + "/master.m3u8"))
    }

    @Test func anEarlierPresentationIsReplacedWhole() throws {
        let movie = try Sample.movie.get()
        let folder = Sample.folder.appending(path: "twice").path
        #expect(try Subprocess.run(["package", movie, folder, "--target", "2s"]).code == 0)
        let mine = folder + "/video/mine.m4s"
        try Data([1]).write(to: URL(fileURLWithPath: mine))
        #expect(FileManager.default.fileExists(atPath: folder + "/video/seg-2.m4s"))
        #expect(try Subprocess.run(["package", movie, folder, "--target", "30s"]).code == 0)
        #expect(!FileManager.default.fileExists(atPath: folder + "/video/seg-2.m4s"))
        #expect(FileManager.default.fileExists(atPath: mine), "only what was listed goes")
        #expect(try Subprocess.run(["verify", folder]).code == 0)
    }

    /// A packager that waits holds its folder; the hold ends when it is killed.
    @Test func oneFolderHasOneWriter() throws {
        let folder = Sample.folder.appending(path: "held").path
        let result = try Subprocess.shell(
            """
            mkdir "$2"; exec 9< "$2"; flock -n 9 || exit 9
            $S package "$1" "$2"; echo $?; exec 9<&-; $S package "$1" "$2" > /dev/null; echo $?
            """, try Sample.movie.get(), folder)
        #expect(result.output == "1\n0\n", "\(result.errors)")
        #expect(result.errors.contains("another process writes a presentation there"))
    }

    @Test func aFolderThatIsAFileIsAnInvalidOption() throws {
        let movie = try Sample.movie.get()
        for place in [movie, movie + "/below"] {
            #expect(try Subprocess.run(["package", movie, place]).errors.hasPrefix("sluice: invalid-option: "))
        }
    }
}
