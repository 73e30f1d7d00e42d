import Foundation
import SluiceCore
import TestTools
import Testing

@testable import Sluice

/// Films with text tracks, made by ffmpeg in a mounted folder.
struct SubtitleFilm {
    static let text = """
        1
        00:00:01,000 --> 00:00:02,000
        AT&T <b>x</b> a < b --> c
        - second

        2
        00:00:09,900 --> 00:00:10,100
        {\\an8}top

        3
        00:00:33,000 --> 00:00:36,500
        span

        """

    /// The same without what ffmpeg takes for a tag.
    static let plainText = text.replacing("a < b --> c", with: "a > b c")

    let folder: FilmFolder

    init() throws { folder = try FilmFolder() }

    func write(_ name: String, _ text: String) throws -> String {
        let url = folder.url.appending(path: name)
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path()
    }

    /// Forty seconds of pictures and sound with one text track for each list of arguments.
    func film(
        _ name: String, texts: [(file: String, output: [String])], seconds: Int = 40, codec: String = "copy",
        before: [String] = []
    ) throws {
        var arguments = [
            "-v", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=\(seconds)", "-f", "lavfi",
            "-i", "sine=r=48000:d=\(seconds)",
        ]
        for text in texts { arguments += ["-i", text.file] }
        arguments += ["-map", "0", "-map", "1"]
        for number in texts.indices { arguments += ["-map", "\(number + 2)"] }
        arguments += ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "50", "-c:a", "aac", "-c:s", codec]
        for text in texts { arguments += text.output }
        try ExternalTool.run("ffmpeg", arguments + before + [folder.url.appending(path: name).path()])
    }

    /// What ffmpeg makes of a file's text track: start, end in milliseconds from the first picture, text.
    static func oracle(_ path: String, track: Int = 0) throws -> [(start: Int, end: Int, text: String)] {
        let text = try ExternalTool.text(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-copyts", "-i", path, "-map", "0:s:\(track)", "-c:s",
                path.hasSuffix("mkv") ? "copy" : "srt", "-f", "srt",
                "pipe:1",
            ])
        let first = try ExternalTool.text(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time", "-read_intervals", "%+2",
                "-of",
                "csv=p=0", path,
            ])
        let pictures = first.split { !"0123456789.".contains($0) }.compactMap { Double($0) }
        let origin = Int(((pictures.min() ?? 0) * 1_000).rounded())
        return text.replacing("\r\n", with: "\n").split(separator: "\n\n").compactMap { block in
            let lines = block.split(separator: "\n").map(String.init)
            guard lines.count >= 3 else { return nil }
            let times = lines[1].split(separator: " ").map(String.init)
            guard times.count == 3, let start = milliseconds(times[0]), let end = milliseconds(times[2]) else {
                return nil
            }
            return (start - origin, end - origin, plain(lines.dropFirst(2).joined(separator: "\n")))
        }
    }

    static func milliseconds(_ text: String) -> Int? {
        let fields = text.split { ":,.".contains($0) }.compactMap { Int($0) }
        return fields.count == 4 ? ((fields[0] * 60 + fields[1]) * 60 + fields[2]) * 1_000 + fields[3] : nil
    }

    /// Without tags and entities.
    static func plain(_ text: String) -> String {
        text.replacing(/<\/?(b|i|u|s|c|font)[^>]*>|\{\\[^}]*\}/, with: "").replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&nbsp;", with: "\u{A0}").replacing("&amp;", with: "&")
    }

    /// The cues of WebVTT segments, each once.
    static func cues(_ segments: [String]) -> [(start: Int, end: Int, text: String)] {
        var seen: Set<String> = []
        var cues: [(start: Int, end: Int, text: String)] = []
        for block in segments.flatMap({ $0.split(separator: "\n\n") }) where seen.insert(String(block)).inserted {
            let lines = block.split(separator: "\n").map(String.init)
            guard lines.count >= 2 else { continue }
            let times = lines[0].split(separator: " ").map(String.init)
            guard times.count >= 3, times[1] == "-->", let start = milliseconds(times[0]),
                let end = milliseconds(times[2])
            else { continue }
            cues.append((start, end, plain(lines.dropFirst().joined(separator: "\n"))))
        }
        return cues
    }
}
