import SluiceBitstream
import SluiceCore
import Testing

/// One codec as ffmpeg encodes it, and what its section is compared on.
struct CodecCase: Sendable, CustomTestStringConvertible {
    var name: String
    var arguments: [String]
    var record: FourCC
    var ffprobeCodec: String
    var testDescription: String { name }

    static let picture = ["-f", "lavfi", "-i", "testsrc2=s=322x182:r=25:d=1.6"]
    static let sound = ["-f", "lavfi", "-i", "sine=f=440:d=1.6:r=48000"]

    static let video: [CodecCase] = [
        CodecCase(
            name: "h264", arguments: picture + ["-c:v", "libx264", "-g", "20", "-bf", "2", "-pix_fmt", "yuv420p"],
            record: "avcC", ffprobeCodec: "h264"),
        CodecCase(
            name: "h264 4:2:2 10 bit",
            arguments: picture + ["-c:v", "libx264", "-g", "20", "-pix_fmt", "yuv422p10le", "-preset", "veryfast"],
            record: "avcC", ffprobeCodec: "h264"),
        CodecCase(
            name: "hevc",
            arguments: picture + [
                "-c:v", "libx265", "-pix_fmt", "yuv420p10le", "-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params",
                "log-level=none:keyint=20:min-keyint=20:bframes=3:scenecut=0",
            ], record: "hvcC", ffprobeCodec: "hevc"),
        CodecCase(
            name: "av1", arguments: picture + ["-c:v", "libaom-av1", "-cpu-used", "8", "-g", "20"],
            record: "av1C", ffprobeCodec: "av1"),
        CodecCase(
            name: "vp9", arguments: picture + ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-g", "20"],
            record: "vpcC", ffprobeCodec: "vp9"),
    ]

    static let audio: [CodecCase] = [
        CodecCase(name: "aac", arguments: sound + ["-c:a", "aac"], record: "esds", ffprobeCodec: "aac"),
        CodecCase(name: "mp3", arguments: sound + ["-c:a", "libmp3lame"], record: "esds", ffprobeCodec: "mp3"),
        CodecCase(name: "ac3", arguments: sound + ["-ac", "6", "-c:a", "ac3"], record: "dac3", ffprobeCodec: "ac3"),
        CodecCase(name: "eac3", arguments: sound + ["-ac", "6", "-c:a", "eac3"], record: "dec3", ffprobeCodec: "eac3"),
        CodecCase(name: "flac", arguments: sound + ["-c:a", "flac"], record: "dfLa", ffprobeCodec: "flac"),
        CodecCase(
            name: "flac 96 kHz", arguments: sound + ["-ar", "96000", "-sample_fmt", "s32", "-c:a", "flac"],
            record: "dfLa", ffprobeCodec: "flac"),
        CodecCase(name: "alac", arguments: sound + ["-c:a", "alac"], record: "alac", ffprobeCodec: "alac"),
        CodecCase(name: "opus", arguments: sound + ["-c:a", "libopus"], record: "dOps", ffprobeCodec: "opus"),
    ]
}

@Suite(.enabled(if: MediaTool.isPresent))
struct InitializationSectionTests {
    /// Records rebuilt from the coded frames alone; libavformat's mov muxer is the oracle, byte for byte.
    @Test(arguments: CodecCase.video + CodecCase.audio)
    func rebuildsTheRecordThatLibavformatWrites(_ codec: CodecCase) throws {
        let folder = try TemporaryFolder()
        let source = try SourceTrack.make(codec.arguments, in: folder)
        let theirs = try #require(source.entry.payload(codec.record))
        let entry = try RebuiltEntry.make(source)
        let section = try InitializationSection(
            tracks: [TrackDescription(id: 1, timescale: source.timescale, entry: entry)]
        ).bytes()
        let ours = try #require(InitializationContents(section).tracks.first?.entries.first)

        #expect(ours.code == source.entry.code)
        #expect((ours.width, ours.height) == (source.entry.width, source.entry.height))
        let payload = try #require(ours.payload(codec.record))
        switch codec.record {
        case "hvcC":
            // x265's SEI array is left out and arrays are complete; the rest is the same.
            let record = try HEVCConfigurationRecord(theirs)
            #expect(try HEVCConfigurationRecord(payload).header == record.header)
            #expect(payload == (try record.normalized().bytes))
        case "esds":
            // Bit rates and length forms differ; the object type and the decoder's configuration must not.
            #expect(Descriptors.config(payload)?.objectType == Descriptors.config(theirs)?.objectType)
            #expect(Descriptors.config(payload)?.specific.prefix(2) == Descriptors.config(theirs)?.specific.prefix(2))
        case "av1C":
            #expect(payload.prefix(4) == theirs.prefix(4))
        case "vpcC":
            #expect(payload == theirs)
        default: #expect(payload == theirs)
        }
    }

    /// ffmpeg reads the section, decodes every segment, and sees the times that went in.
    @Test(arguments: CodecCase.video + CodecCase.audio)
    func segmentsDecodeToTheSourcesFrames(_ codec: CodecCase) throws {
        let folder = try TemporaryFolder()
        let source = try SourceTrack.make(codec.arguments, in: folder)
        try #require(source.packets.count > 10)
        var file = try InitializationSection(
            tracks: [
                TrackDescription(
                    id: 1, timescale: source.timescale, entry: RebuiltEntry.make(source), language: "deu")
            ]
        ).bytes()
        let samples = source.samples
        let shift = -min(0, source.packets[0].decodeTime)
        for (index, range) in source.segments(of: 15).enumerated() {
            let time = UInt64(source.packets[range.lowerBound].decodeTime + shift)
            let fragment = TrackFragment(trackID: 1, decodeTime: time, samples: Array(samples[range]))
            file += try FragmentBuilder.segment(index: index, tracks: [fragment]).joined()
        }
        try folder.write(file, "ours.mp4")

        let decode = ["-map", "0", "-fps_mode", "passthrough", "-f", "streamhash", "-"]
        let theirs = try MediaTool.ffmpeg(["-i", "source.mp4"] + decode, in: folder)
        let ours = try MediaTool.ffmpeg(["-i", "ours.mp4"] + decode, in: folder)
        #expect(ours.standardError == "")
        if codec.record != "esds" || codec.name == "aac" { #expect(ours.text == theirs.text) }

        let codecs = try MediaTool.probe("stream=codec_name:stream_tags=language", file: "ours.mp4", in: folder)
        let fields = codecs.first?.split(separator: "|") ?? []
        #expect(codecs.count == 1)
        #expect(fields.contains("codec_name=\(codec.ffprobeCodec)") && fields.contains("tag:language=deu"))
        let read = try SourceTrack.read("ours.mp4", in: folder)
        #expect(read.packets.map(\.bytes) == source.packets.map(\.bytes))
        #expect(read.packets.map { $0.presentationTime } == source.packets.map { $0.presentationTime + shift })
        #expect(read.packets.map { $0.decodeTime } == source.packets.map { $0.decodeTime + shift })
        #expect(read.packets.map(\.isKey) == source.packets.map(\.isKey))
    }
}
