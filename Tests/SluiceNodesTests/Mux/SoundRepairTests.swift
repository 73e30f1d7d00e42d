import Foundation
import SluiceAV
import SluiceBitstream
import SluiceCore
import SluiceTransport
import TestTools
import Testing

@testable import SluiceNodes

/// Sound that starts late, pauses, overlaps, ends early, is laced, primed, encrypted or described wrongly, and uneven pictures.
@Suite(.enabled(if: PlanSources.isPresent))
struct SoundRepairTests {
    private static let picture = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=16"]
    private static let x264 = PlanSources.x264 + ["-g", "50"]

    private static func tone(_ seconds: Int) -> [String] { ["-f", "lavfi", "-i", "sine=f=1000:r=48000:d=\(seconds)"] }

    private func title(_ path: String) throws -> PlannedTitle {
        let source = try Transport.open(path)
        defer { source.close() }
        return try PlanBuilder.title(source, hint: path)
    }

    private func run(_ path: String) async throws -> (PlannedTitle, [MuxRun.Key: [UInt8]]) {
        var options = PlanBuilder.Options()
        options.basis = .scan
        let source = try Transport.open(path)
        let title = try PlanBuilder.title(source, hint: path, options: options)
        source.close()
        return (title, try await MuxRun.collect(path, title, from: nil))
    }

    private func sound(_ fragments: [MuxRun.Key: [UInt8]], _ rendition: String) throws -> String {
        let path = PlanSources.directory + "/sound-\(UUID().uuidString).mp4"
        var bytes = fragments.filter { $0.key.rendition == rendition && $0.key.index == nil }.values.first ?? []
        for index in 0..<fragments.count {
            bytes += fragments.first { $0.key.rendition == rendition && $0.key.index == index }?.value ?? []
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Lines of ffprobe's answer about packets of a file: presentation time and length.
    private func packets(_ path: String, _ entries: String) throws -> [[Int]] {
        let text = try ExternalTool.text(
            "ffprobe", ["-v", "error", "-show_entries", "packet=\(entries)", "-of", "csv=p=0", path])
        return text.split(separator: "\n").map { $0.split(separator: ",").map { Int($0) ?? 0 } }
    }

    @Test func soundThatStartsLatePausesAndEndsEarlyIsFilledWithSilence() async throws {
        let late = try PlanSources.make(
            "late.mkv",
            Self.picture + ["-itsoffset", "1.5"] + Self.tone(9)
                + ["-af", "aselect='not(between(t,3,4.2))'"] + Self.x264 + ["-c:a", "aac"]
        ).get()

        let (title, fragments) = try await run(late)

        let audio = try #require(title.facts.audio.first)
        let timeline = RenditionTimeline(facts: title.facts, plan: title.plan, stream: audio)
        #expect(timeline.gaps.isEmpty)
        let times = try packets(sound(fragments, "audio-1"), "pts").map { $0[0] }
        #expect(abs(try #require(times.first)) < 1_024)
        // 16 s of frames without a hole of a frame and a half.
        #expect(abs(try #require(times.last) - 16 * 48_000) <= 2_048)
        #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 < 1_536 && $0 > $1 })
    }

    /// Where recordings are joined, the first frame of the next may begin just after the last of the one before: within
    /// a segment, across the start of one, by many frames.
    @Test(arguments: [(100, 0.022, 1), (173, 0.0165, 1), (100, 0.3, 13)])
    func soundThatOverlapsLastsWholeFrames(frame: Int, seconds: Double, left: Int) async throws {
        let back = "setts=ts='PTS-\(seconds)/TB*gte(N,\(frame))'"
        let whole = try PlanSources.make(
            "whole44100.mkv",
            Self.picture + ["-f", "lavfi", "-i", "sine=f=1000:r=44100:d=16"] + Self.x264 + ["-c:a", "aac"]
        ).get()
        let joined = try PlanSources.make(
            "overlap\(frame)-\(left).mkv", ["-i", whole, "-map", "0", "-c", "copy", "-bsf:a", back]
        ).get()

        let (_, fragments) = try await run(joined)

        let times = try packets(sound(fragments, "audio-1"), "pts").map { $0[0] }
        let steps = zip(times.dropFirst(), times).map { $0 - $1 }
        // The last sample of a segment takes up what the stamps leave over.
        #expect(steps.allSatisfy { $0 >= 512 && $0 <= 1_536 }, "\(steps.filter { $0 != 1_024 })")
        #expect(steps.count { $0 == 1_024 } >= steps.count - fragments.count)
        let own = try packets(joined, "stream_index").count { $0[0] == 1 }
        // The priming frame and what overlaps are left out, no more.
        #expect(times.count == own - 1 - left)
    }

    /// Players take a sample's duration for the time that its picture is shown. Where the pictures of a segment do not
    /// last until the next one begins, a seek to between them finds nothing.
    @Test func picturesLastUntilTheNextOneIsShown() async throws {
        let uneven = try PlanSources.make(
            "uneven.mp4",
            Self.picture + ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "3", "-b_strategy", "0", "-g", "48"]
                + ["-vf", "settb=1/1000,setpts='(N*0.04+0.013*mod(N,3)+0.001*gte(N,96))/TB'"]
                + ["-vsync", "vfr", "-enc_time_base", "1:1000"]
        ).get()

        let (_, fragments) = try await run(uneven)

        let coded = try packets(sound(fragments, "video"), "pts,dts")
        #expect(coded.count == 400)
        let ends = zip(coded, coded.dropFirst()).map { $0[0] + $1[1] - $0[1] }
        let starts = Set(coded.map { $0[0] })
        #expect(Set(zip(coded.dropFirst(), coded).map { $0[1] - $1[1] }).count > 2)
        // The title's end is nobody's start.
        #expect(ends.count { !starts.contains($0) } <= 1)
        #expect(Set(ends).count == ends.count)
    }

    /// Slow pictures behind all the sound: the cues name a place behind it.
    @Test func soundThatLiesBeforeTheFirstPictureInTheFileIsServed() async throws {
        let slides = try PlanSources.make(
            "slides.mkv",
            ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=1/5:d=40"] + Self.tone(40)
                + ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "3", "-b_strategy", "0", "-g", "4", "-c:a", "aac"]
        ).get()

        let (_, fragments) = try await run(slides)

        let times = try packets(sound(fragments, "audio-1"), "pts").map { $0[0] }
        let own = try packets(slides, "stream_index,pts_time").count { $0[0] == 1 }
        #expect((own - 2...own).contains(times.count))
        #expect(try #require(times.first) < 2_048)
    }

    @Test func soundThatCannotBeFilledLeavesGaps() throws {
        let path = try PlanSources.make(
            "lateac3.mkv", Self.picture + Self.tone(5) + Self.x264 + ["-c:a", "ac3"]
        ).get()
        let title = try title(path)
        let source = try Transport.open(path)
        defer { source.close() }
        var options = PlanBuilder.Options()
        options.basis = .scan
        let scanned = try PlanBuilder.title(source, hint: path, options: options)
        let timeline = RenditionTimeline(
            facts: scanned.facts, plan: scanned.plan, stream: try #require(title.facts.audio.first))
        #expect(timeline.gaps == [2, 3])
    }

    @Test func soundLongBeforeTheFirstPictureIsCut() throws {
        let path = try PlanSources.make(
            "lead.mkv", ["-itsoffset", "1.2"] + Self.picture + Self.tone(12) + Self.x264 + ["-c:a", "aac"]
        ).get()
        let source = try Transport.open(path)
        defer { source.close() }
        var options = PlanBuilder.Options()
        options.basis = .scan
        let title = try PlanBuilder.title(source, hint: path, options: options)

        // All is moved on by the 21 ms that the AAC coder puts before its sound.
        #expect(abs(title.facts.origin.seconds - 1.221) < 0.002)
        let audio = try #require(title.facts.audio.first)
        #expect((0...1_024).contains(try #require(title.facts.spans[audio]).start))
    }

    /// What the coder put before the sound, as ffprobe shows it of the source.
    @Test(arguments: [("priming.m4a", ["-c:a", "aac"], 1_024), ("priming.mp3", ["-c:a", "libmp3lame"], 1_105)])
    func primingIsTrimmedByAnEditList(name: String, codec: [String], priming: Int64) async throws {
        let path = try PlanSources.make(name, Self.tone(3) + codec).get()
        let (title, fragments) = try await run(path)
        let audio = try #require(title.facts.audio.first)
        #expect(title.facts.primings[audio] == priming)
        let copied = try packets(sound(fragments, "audio-1"), "pts")
        #expect(try #require(copied.first) == [Int(-priming)])
        #expect(copied.count == (try packets(path, "pts").count))
    }

    @Test func preSkipOfOpusIsExactWhereTheContainerRounds() throws {
        let path = try PlanSources.make("priming.webm", Self.tone(3) + ["-c:a", "libopus"]).get()
        let title = try title(path)
        let audio = try #require(title.facts.audio.first)
        // 6.5 ms, which the container stamps as -7 ms.
        #expect(title.facts.primings[audio] == 312)
    }

    @Test func encryptedTracksAreRefused() throws {
        let path = try PlanSources.make(
            "encrypted.mp4",
            Self.picture + Self.tone(2) + Self.x264 + [
                "-t", "2", "-c:a", "aac", "-encryption_scheme", "cenc-aes-ctr", "-encryption_key",
                "76a6c65c5ea762046bd749a2e632ccbb", "-encryption_kid", "a7e61c373e219033c21091fa607bf3b8",
            ]
        ).get()
        let failure = try #require(throws: NodeFailure.self) { try title(path) }
        #expect(failure.code == .unsupported && failure.message.contains("encrypted"))
    }

    @Test func scrambledPacketsAreCountedByIdentifier() throws {
        let path = try PlanSources.make("clear.ts", Self.picture + Self.x264 + ["-t", "2"]).get()
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(EncryptionProbe.scrambledPackets(bytes).isEmpty)
        for offset in stride(from: 0, to: bytes.count, by: 188)
        where bytes[offset + 1] & 0x1F == 1 && bytes[offset + 2] == 0 { bytes[offset + 3] |= 0x80 }
        #expect(EncryptionProbe.scrambledPackets(bytes) == [0x100])
        let scrambled = PlanSources.directory + "/scrambled.ts"
        try Data(bytes).write(to: URL(fileURLWithPath: scrambled))
    }

    @Test func framesOfABlockGetStampsFromItsFirst() throws {
        var format = StreamFormat(id: StreamID(0), type: .audio, codec: "ac3", timebase: .milliseconds)
        format.audio = AudioFormat(sampleRate: 48_000, channels: 2)
        var rule = try #require(LaceRule(format, "matroska,webm"))
        // 1,536 samples are 32 ms.
        #expect(rule.stamp(nil, position: 10) == nil)
        #expect(rule.stamp(100, position: 10) == 100)
        #expect(rule.stamp(nil, position: 10) == 132)
        #expect(rule.stamp(nil, position: 10) == 164)
        #expect(rule.stamp(nil, position: 99) == nil)
        #expect(LaceRule(format, "mpegts") == nil)
    }

    /// Both rates mean the same; decoders refuse the second spelling.
    @Test(arguments: [([0x13, 0x88], 22_050), ([0x17, 0x80, 0x2B, 0x11, 0x08], 22_050)] as [([UInt8], Int)])
    func ratesWithANumberAreWrittenAsOne(record: [UInt8], rate: Int) throws {
        var format = StreamFormat(id: StreamID(0), type: .audio, codec: "aac", timebase: Timebase(hertz: 22_050))
        format.extradata = record
        format.audio = AudioFormat(sampleRate: rate, channels: 1)
        var facts = TitleFacts(formatName: "mov", streams: [format], origin: Timestamp(0, format.timebase))
        facts.audio = [format.id]
        facts.clocks[format.id] = TrackClock(
            source: format.timebase, timescale: Int32(rate), origin: Timestamp(0, format.timebase))
        guard case .audio(let entry) = try TrackFactory.track(facts, format.id).entry,
            case .mp4a(let config) = entry.codec
        else { return #expect(Bool(false)) }
        #expect(config == [0x13, 0x88])
    }

    @Test func headersThatNameScalableRatesStandBeforeLowComplexity() throws {
        var format = StreamFormat(id: StreamID(0), type: .audio, codec: "aac", timebase: Timebase(hertz: 8_000))
        format.audio = AudioFormat(sampleRate: 8_000, channels: 1)
        var facts = TitleFacts(formatName: "aac", streams: [format], origin: Timestamp(0, format.timebase))
        facts.audio = [format.id]
        facts.firstUnits[format.id] = [0xFF, 0xF1, 0xAC, 0x40, 0x48, 0x3F, 0xFC]
        facts.clocks[format.id] = TrackClock(
            source: format.timebase, timescale: 8_000, origin: Timestamp(0, format.timebase))
        guard case .audio(let entry) = try TrackFactory.track(facts, format.id).entry,
            case .mp4a(let config) = entry.codec
        else { return #expect(Bool(false)) }
        #expect(AudioSpecificConfig(config)?.objectType == 2)
    }

    /// ffmpeg decodes every frame of silence to samples of zero.
    @Test(arguments: 1...5)
    func silenceIsSilent(configuration: Int) throws {
        let record = try #require(
            AudioSpecificConfig(objectType: 2, sampleRate: 48_000, channelConfiguration: configuration))
        let entry = AudioSampleEntry(codec: .mp4a(record.bytes), sampleRate: 48_000, channels: configuration)
        let silence = try #require(Silence(entry, timescale: 48_000))
        #expect(silence.length == 1_024)
        let size = silence.bytes.count + 7
        let header: [UInt8] = [
            0xFF, 0xF1, 1 << 6 | 3 << 2, UInt8(configuration & 3) << 6 | UInt8(size >> 11), UInt8(size >> 3 & 255),
            UInt8(size & 7) << 5 | 0x1F, 0xFC,
        ]
        var frame = header
        frame[2] |= UInt8(configuration >> 2)
        let path = PlanSources.directory + "/silence-\(configuration).aac"
        try Data((0..<20).flatMap { _ in frame + silence.bytes }).write(to: URL(fileURLWithPath: path))
        let decoded = PlanSources.directory + "/silence-\(configuration).raw"
        try ExternalTool.run("ffmpeg", ["-v", "error", "-y", "-i", path, "-f", "s16le", decoded])
        let samples = try Data(contentsOf: URL(fileURLWithPath: decoded))
        #expect(samples.count == 20 * 1_024 * 2 * configuration && samples.allSatisfy { $0 == 0 })
    }
}
