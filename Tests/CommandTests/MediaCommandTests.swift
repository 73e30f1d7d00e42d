import Foundation
import SluiceGraph
import Testing

/// `probe` and `packets` against ffprobe.
@Suite(.enabled(if: Sample.hasTools)) struct MediaCommandTests {
    @Test func probeSaysWhatFFprobeSays() throws {
        let movie = try Sample.movie.get()
        let result = try Subprocess.run(["probe", movie, "--json"])
        #expect(result.code == 0)
        #expect(result.errors.isEmpty)
        let ours = try Sample.parse(result.output)
        let theirs = try Sample.ffprobe(movie, ["-show_streams", "-show_format", "-show_chapters"])
        let format = try #require(theirs["format"])

        #expect(ours["format"] == format["format_name"])
        #expect(ours["bytes"]?.number == format["size"]?.text.flatMap { Int($0) })
        let duration = try #require(format["duration"]?.text.flatMap { Double($0) })
        let mine = try #require(ours["duration"]?.real)
        #expect(abs(mine - duration) < 0.001)
        #expect(ours["tags"]?["title"]?.text == "Sluice sample")
        #expect(ours["identity"]?.text?.isEmpty == false)

        let streams = try #require(theirs["streams"]?.elements)
        #expect(ours["streams"]?.elements?.count == streams.count)
        for (index, stream) in streams.enumerated() {
            let mine = try #require(ours["streams"]?[index])
            #expect(mine["type"] == stream["codec_type"])
            #expect(mine["codec"] == stream["codec_name"])
            #expect(mine["profile"]?.text == stream["profile"]?.text)
            #expect(mine["timebase"] == stream["time_base"])
            #expect(mine["language"]?.text == stream["tags"]?["language"]?.text)
            #expect(mine["parked"]?.isNull == true)
            #expect(mine["video"]?["width"] == stream["width"])
            #expect(mine["video"]?["pixelFormat"] == stream["pix_fmt"])
            #expect(mine["audio"]?["channels"] == stream["channels"])
            #expect(mine["audio"]?["layout"] == stream["channel_layout"])
            let rate = stream["sample_rate"]?.text.flatMap { Int($0) }
            #expect(mine["audio"]?["sampleRate"]?.number == rate)
            let names = Set(mine["disposition"]?.elements?.compactMap(\.text) ?? [])
            #expect(names.contains("forced") == (stream["disposition"]?["forced"]?.number == 1))
            #expect(names.contains("default") == (stream["disposition"]?["default"]?.number == 1))
        }
        #expect(ours["streams"]?[0]?["video"]?["rate"]?.text == "24/1")

        let chapters = try #require(theirs["chapters"]?.elements)
        #expect(ours["chapters"]?.elements?.count == chapters.count)
        for (index, chapter) in chapters.enumerated() {
            #expect(ours["chapters"]?[index]?["title"]?.text == chapter["tags"]?["title"]?.text)
            #expect(ours["chapters"]?[index]?["start"]?.real == chapter["start_time"]?.text.flatMap { Double($0) })
        }
    }

    @Test func probeAsTextNamesEveryStream() throws {
        let result = try Subprocess.run(["probe", try Sample.movie.get()])
        #expect(result.code == 0)
        #expect(result.output.contains("video h264 ("))
        #expect(result.output.contains("320x180, 24 fps, yuv420p"))
        #expect(result.output.contains("48000 Hz, stereo"))
        #expect(result.output.contains("ger, \"Ton\"") || result.output.contains("ger, default, \"Ton\""))
        #expect(result.output.contains(": Two"))
        #expect(result.output.contains("tag          title=Sluice sample"))
    }

    /// Every packet, in order, with all its times, sizes and positions.
    @Test func packetsAreThoseOfFFprobe() throws {
        let movie = try Sample.movie.get()
        let result = try Subprocess.run(["packets", movie])
        #expect(result.code == 0)
        var lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.removeFirst() == "stream,pts,dts,duration,key,bytes,position")
        let listing = try Sample.ffprobe(movie, ["-show_packets"])
        let packets = try #require(listing["packets"]?.elements)
        #expect(packets.count > 400)
        let expected = packets.map { packet in
            func text(_ key: String) -> String { packet[key]?.number.map(String.init) ?? packet[key]?.text ?? "" }
            let key = packet["flags"]?.text?.hasPrefix("K") == true ? "1" : "0"
            let duration = text("duration").isEmpty ? "0" : text("duration")
            return [text("stream_index"), text("pts"), text("dts"), duration, key, text("size"), text("pos")]
                .joined(separator: ",")
        }
        #expect(lines == expected)
    }

    /// The first picture is at 0, and each of them is where ffprobe has it from there.
    @Test func repairedPacketsAreOnTheTitlesTimeline() throws {
        let movie = try Sample.movie.get()
        let result = try Subprocess.run(["packets", movie, "--repaired", "--stream", "0"])
        #expect(result.code == 0, "\(result.errors)")
        let rows = result.output.split(separator: "\n").dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let found = rows.compactMap { Double($0[1]) }
        #expect(found.count == rows.count && found.min() == 0)
        let listing = try Sample.ffprobe(movie, ["-show_packets", "-select_streams", "0"])
        let wanted = try #require(listing["packets"]?.elements).compactMap {
            $0["pts_time"]?.text.flatMap { Double($0) }
        }
        let ticks = try #require(found.max()) / (try #require(wanted.max()) - (try #require(wanted.min())))
        let first = try #require(wanted.min())
        let moved = zip(found, wanted).filter { abs($0 / ticks - ($1 - first)) > 0.0011 }
        #expect(moved.isEmpty && found.count == wanted.count)
    }

    @Test func packetsOfOneStreamUpToALimit() throws {
        let movie = try Sample.movie.get()
        let result = try Subprocess.run(["packets", movie, "--stream", "1", "--limit", "7"])
        let rows = result.output.split(separator: "\n").dropFirst()
        #expect(rows.count == 7)
        #expect(rows.allSatisfy { $0.hasPrefix("1,") })
        let json = try Sample.parse(
            try Subprocess.run(["packets", movie, "--stream", "1", "--limit", "7", "--json"]).output)
        #expect(json["packets"]?.elements?.count == 7)
        #expect(json["packets"]?[3]?["stream"]?.number == 1)
        let unknown = try Subprocess.run(["packets", movie, "--stream", "9"])
        #expect(unknown.code == 1)
        #expect(unknown.errors.contains("sluice: invalid-option: no stream 9"))
    }

    @Test func whatCannotBeOpenedIsATypedError() throws {
        let text = try Sample.write("notes.txt", "Nothing to see here.\n")
        for (source, code) in [
            ("/nonexistent/file.mkv", "not-found"), (text, "not-media"), ("gopher://x/", "unsupported"),
        ] {
            let plain = try Subprocess.run(["probe", source])
            #expect(plain.code == 1)
            #expect(plain.output.isEmpty)
            #expect(plain.errors.hasPrefix("sluice: \(code): "), "\(plain.errors)")
            let json = try Subprocess.run(["packets", source, "--json"])
            #expect(json.code == 1)
            #expect(json.errors.isEmpty)
            #expect(try Sample.parse(json.output)["error"]?["code"]?.text == code)
        }
    }
}
