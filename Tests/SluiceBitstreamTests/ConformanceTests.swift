import SluiceBitstream
import SluiceCore
import TestTools
import Testing

/// A whole title, checked by the conformance checker and by ffmpeg's HLS reader.
@Suite(.enabled(if: MediaTool.isPresent && SharedMaterial.checker != nil))
struct ConformanceTests {
    private struct Cut {
        var entry: SampleEntry
        var packets: [SourceTrack.Packet]
        var timescale: UInt32
        var samples: [FragmentSample]
        /// Added to decode times so that the first picture is presented at 0.
        var shift: Int64
    }

    /// Decode times are shifted so that the first picture is presented at 0; offsets are then signed (decision D23).
    private func cut(_ source: SourceTrack) throws -> Cut {
        let first = source.packets[0]
        let shift = -first.decodeTime
        let lead = first.presentationTime - first.decodeTime
        var samples = source.samples
        for index in samples.indices { samples[index].compositionOffset -= Int32(lead) }
        return Cut(
            entry: try RebuiltEntry.make(source), packets: source.packets, timescale: source.timescale,
            samples: samples, shift: shift)
    }

    private func playlist(_ cuts: [Cut], boundaries: [Range<Int>], name: String, folder: TemporaryFolder) throws {
        let video = cuts[0]
        let tracks = cuts.enumerated().map { index, cut in
            var track = TrackDescription(id: UInt32(index + 1), timescale: cut.timescale, entry: cut.entry)
            if index > 0 || cuts.count == 1, case .audio = cut.entry { track.language = "eng" }
            return track
        }
        try folder.write(try InitializationSection(tracks: tracks).bytes(), "\(name)-init.mp4")
        var segments: [MediaSegment] = []
        for (index, range) in boundaries.enumerated() {
            let start = time(video, range.lowerBound)
            let end = time(video, range.upperBound)
            var fragments: [TrackFragment] = []
            for (number, cut) in cuts.enumerated() {
                let isLast = index == boundaries.count - 1
                let chosen = number == 0 ? range : covered(cut, from: start, to: end, isLast: isLast)
                fragments.append(
                    TrackFragment(
                        trackID: UInt32(number + 1),
                        decodeTime: UInt64(cut.packets[chosen.lowerBound].decodeTime + cut.shift),
                        samples: Array(cut.samples[chosen])))
            }
            let bytes = try FragmentBuilder.segment(index: index, tracks: fragments).joined()
            try folder.write(bytes, "\(name)-\(index).m4s")
            var segment = MediaSegment(uri: "\(name)-\(index).m4s", start: start, duration: end - start)
            if index == 0 { segment.map = InitializationMap(uri: "\(name)-init.mp4") }
            segments.append(segment)
        }
        var playlist = MediaPlaylist(kind: .vod, segments: segments)
        playlist.isIndependent = true
        playlist.targetDuration = 2
        try folder.write(Array(playlist.text.utf8), "\(name).m3u8")
    }

    private func time(_ cut: Cut, _ index: Int) -> Duration {
        let ticks =
            index < cut.packets.count
            ? cut.packets[index].decodeTime + cut.shift
            : (cut.packets.last.map { $0.decodeTime + cut.shift } ?? 0) + Int64(cut.samples.last?.duration ?? 0)
        return .nanoseconds(ticks.scaled(by: 1_000_000_000, over: Int64(cut.timescale)))
    }

    private func covered(_ cut: Cut, from start: Duration, to end: Duration, isLast: Bool) -> Range<Int> {
        let first = cut.packets.indices.first { time(cut, $0) >= start } ?? 0
        let last = isLast ? nil : cut.packets.indices.first { time(cut, $0) >= end }
        return first..<(last ?? cut.packets.count)
    }

    @Test(arguments: ["renditions", "muxed"])
    func titlePassesTheChecker(_ shape: String) throws {
        let folder = try TemporaryFolder()
        let picture = try SourceTrack.make(
            [
                "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=8", "-c:v", "libx264", "-preset", "veryfast", "-g",
                "50",
                "-keyint_min", "50", "-sc_threshold", "0", "-bf", "2", "-pix_fmt", "yuv420p", "-x264-params",
                "open-gop=0",
            ], in: folder, name: "v.mp4")
        let sound = try SourceTrack.make(
            ["-f", "lavfi", "-i", "sine=d=8:r=48000", "-ac", "2", "-c:a", "aac"], in: folder, name: "a.mp4")
        let video = try cut(picture)
        let audio = try cut(sound)
        var boundaries: [Range<Int>] = []
        for start in stride(from: 0, to: 200, by: 50) { boundaries.append(start..<(start + 50)) }
        try #require(video.packets.count == 200 && video.packets[150].isKey)

        var variant = Variant(uri: "video.m3u8", bandwidth: 3_000_000)
        variant.codecs = [video.entry.codecString, audio.entry.codecString]
        variant.resolution = Resolution(width: 640, height: 360)
        variant.frameRate = 25
        variant.videoRange = .sdr
        variant.closedCaptions = .noneFound
        variant.audioGroup = "aud"
        var rendition = Rendition(kind: .audio, group: "aud", name: "English")
        rendition.language = "en"
        rendition.isDefault = true
        rendition.channels = "2"
        if shape == "muxed" {
            try playlist([video, audio], boundaries: boundaries, name: "video", folder: folder)
        } else {
            try playlist([video], boundaries: boundaries, name: "video", folder: folder)
            // Audio segments hold the frames that start inside the video's segments.
            let frames = boundaries.enumerated().map { index, range in
                covered(
                    audio, from: time(video, range.lowerBound), to: time(video, range.upperBound),
                    isLast: index == boundaries.count - 1)
            }
            try playlist([audio], boundaries: frames, name: "audio", folder: folder)
            rendition.uri = "audio.m3u8"
        }
        let sizes = try (0..<4).map { index in
            let audio = shape == "muxed" ? 0 : try folder.read("audio-\(index).m4s").count
            return try folder.read("video-\(index).m4s").count + audio
        }
        // Eight seconds in all, segments of two.
        variant.averageBandwidth = sizes.reduce(0, +) + 1
        variant.bandwidth = (sizes.max() ?? 0) * 8 / 2 * 51 / 50
        let master = MultivariantPlaylist(renditions: [rendition], variants: [variant], isIndependent: true)
        try folder.write(Array(master.text.utf8), "master.m3u8")

        let report = try MediaTool.run(
            "/usr/bin/python3", [try #require(SharedMaterial.checker), "--decode", "master.m3u8"], in: folder)
        #expect(report.status == 0, "\(report.text)")
        #expect(report.text.contains(" 0 errors"), "\(report.text)")
        let decoded = try MediaTool.ffmpeg(
            ["-i", "master.m3u8", "-map", "0", "-f", "null", "-"], in: folder)
        #expect(decoded.standardError == "")
        for file in ["video-init.mp4", "video-0.m4s"] {
            let boxes = try MediaTool.run(
                "/usr/bin/python3", [try #require(SharedMaterial.checker), "--boxes", file], in: folder)
            #expect(boxes.status == 0, "\(boxes.text)")
        }
    }
}
