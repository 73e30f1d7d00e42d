import Foundation
import SluiceAV
import SluiceCore
import TestTools
import Testing

@testable import SluiceNodes

/// Bridged renditions against the sound they were made of, and against themselves begun elsewhere.
@Suite(.enabled(if: PlanSources.isPresent), .serialized)
struct BridgeRunTests {
    /// Two tones that move, different in each channel, and never silent.
    static func tones(_ layout: String, _ channels: Int, rate: Int = 48_000) -> [String] {
        let voices = (0..<channels).map { channel in
            "0.25*sin(2*PI*\(300 + 170 * channel)*t)+0.15*sin(2*PI*(\(900 + 90 * channel)+40*t)*t)"
        }
        let text = voices.joined(separator: "|")
        return ["-f", "lavfi", "-i", "aevalsrc='\(text)':s=\(rate):d=\(BridgeFilm.seconds):c=\(layout)"]
    }

    struct Case: CustomTestStringConvertible {
        var file: String
        var layout: String
        var channels: Int
        var coder: [String]
        var codec: BridgeCodec
        var rate = 48_000
        /// Decibels that the decoded sound reaches against the source. 16 bits end at about 98.
        var least = 38.0
        /// Samples that the source has before the title's origin.
        var head = 0
        var testDescription: String { "\(file) to \(codec)" }
    }

    static let cases: [Case] = [
        Case(
            file: "b-dts.mkv", layout: "5.1(side)", channels: 6, coder: ["-c:a", "dca", "-strict", "-2"], codec: .eac3),
        Case(
            file: "b-dts.mkv", layout: "5.1(side)", channels: 6, coder: ["-c:a", "dca", "-strict", "-2"], codec: .flac),
        Case(
            file: "b-truehd.mkv", layout: "stereo", channels: 2, coder: ["-c:a", "truehd", "-strict", "-2"],
            codec: .flac),
        Case(file: "b-pcm.mkv", layout: "stereo", channels: 2, coder: ["-c:a", "pcm_s24le"], codec: .aac),
        Case(
            file: "b-mp2.ts", layout: "stereo", channels: 2, coder: ["-c:a", "mp2"], codec: .flac, least: 90, head: 481),
        Case(
            file: "b-vorbis.mkv", layout: "stereo", channels: 2, coder: ["-c:a", "libvorbis"], codec: .flac,
            rate: 44_100, least: 85),
        Case(file: "b-ac3.mp4", layout: "5.1(side)", channels: 6, coder: ["-c:a", "ac3"], codec: .aac),
        Case(
            file: "b-96k.mkv", layout: "5.1(side)", channels: 6, coder: ["-c:a", "pcm_s24le"], codec: .eac3,
            rate: 96_000),
    ]

    /// Segments do not depend on where their producer began.
    @Test(arguments: cases.indices)
    func everyAnchorGivesTheBytesOfAColdRun(number: Int) async throws {
        let entry = Self.cases[number]
        let film = try BridgeFilm(
            entry.file, sound: Self.tones(entry.layout, entry.channels, rate: entry.rate), coder: entry.coder,
            codec: entry.codec)
        let cold = try await film.run()
        let count = film.title.plan.segments.count
        #expect(cold.keys.filter { $0.index != nil }.count == count)
        for index in [1, 3, count - 1] {
            let anchored = try await film.run(from: index)
            for later in index..<count {
                let isSame = anchored[film.segment(later)] == cold[film.segment(later)]
                #expect(isSame, "\(entry.testDescription) begun at \(index): segment \(later)")
            }
        }
    }

    /// What is decoded lies where the source has it, everywhere as well as around the joins, and lasts as long as the plan.
    @Test(arguments: cases.indices)
    func theSoundStaysInItsPlace(number: Int) async throws {
        let entry = Self.cases[number]
        let film = try BridgeFilm(
            entry.file, sound: Self.tones(entry.layout, entry.channels, rate: entry.rate), coder: entry.coder,
            codec: entry.codec)
        let path = try film.file(try await film.run())
        let rate = film.sound.encoded.settings.sampleRate
        let made = try BridgeFilm.samples(path, channels: entry.channels)
        let wanted = try BridgeFilm.samples(film.path, channels: entry.channels, arguments: ["-ar", "\(rate)"])
        let timeline = BridgeTimeline(film.sound.encoded, film.title.plan)
        #expect(made[0].count == Int(timeline.boundaries.last ?? 0))
        // A millisecond of rounding, and what lies before the title.
        let lag = BridgeFilm.lag(made[0], wanted[0], at: rate, within: rate / 1_000 + entry.head)
        #expect(abs(lag - entry.head) <= rate / 1_000, "\(entry.testDescription): \(lag) samples")
        // The channel of low frequencies holds no tones like these.
        for channel in made.indices where entry.channels < 6 || channel != 3 {
            let (left, right) = (made[channel], Array(wanted[channel].dropFirst(max(0, lag))))
            let shift = max(0, -lag)
            let end = min(left.count - shift, right.count) - rate / 2
            func quality(_ range: Range<Int>) -> Double {
                BridgeFilm.quality(left[(range.lowerBound + shift)..<(range.upperBound + shift)], right[range])
            }
            let whole = quality((rate / 2)..<end)
            #expect(whole > entry.least, "\(entry.testDescription), channel \(channel): \(whole) dB")
            for join in timeline.boundaries.dropFirst().dropLast() where Int(join) + rate / 40 < end {
                let near = quality((Int(join) - rate / 40)..<(Int(join) + rate / 40))
                let fits = near > min(whole - 3, 90)
                #expect(fits, "\(entry.testDescription), join at \(join): \(near) dB of \(whole)")
            }
        }
    }

    /// T17, T18: sound that pauses and ends early is silence there, and in its place before and after.
    @Test(arguments: [BridgeCodec.eac3, .flac, .aac])
    func whatTheSourceDoesNotHaveIsSilence(codec: BridgeCodec) async throws {
        let film = try BridgeFilm(
            "b-gap.mkv", sound: ["-f", "lavfi", "-i", "sine=f=1000:r=48000:d=18"],
            coder: ["-af", "aselect='not(between(t,6,10))'", "-c:a", "dca", "-strict", "-2", "-ac", "2"], codec: codec)
        let cold = try await film.run()
        let made = try BridgeFilm.samples(try film.file(cold), channels: 1)[0]
        func level(_ from: Double, _ to: Double) -> Float {
            made[Int(from * 48_000)..<Int(to * 48_000)].map(abs).max() ?? 0
        }
        #expect(made.count >= 24 * 48_000)
        #expect(level(1, 5.9) > 0.05)
        #expect(level(6.1, 9.9) < 0.0001)
        #expect(level(10.2, 17.9) > 0.05)
        #expect(level(18.1, 24) < 0.0001)
        let count = film.title.plan.segments.count
        for index in [2, 3, count - 1] {
            let anchored = try await film.run(from: index)
            let isSame = (index..<count).allSatisfy { anchored[film.segment($0)] == cold[film.segment($0)] }
            #expect(isSame, "begun at \(index)")
        }
    }

    /// The delay moves what is heard, to the sample.
    @Test(arguments: [250, -250])
    func aDelayMovesTheSound(milliseconds: Int) async throws {
        let sound = ["-f", "lavfi", "-i", "aevalsrc='if(between(mod(t,2),1,1.02),0.8,0)':s=48000:d=24"]
        let plain = try BridgeFilm("b-beep.mkv", sound: sound, coder: ["-c:a", "pcm_s16le"], codec: .flac)
        let moved = try BridgeFilm(path: plain.path, codec: .flac, delay: .milliseconds(milliseconds))
        let first = try BridgeFilm.samples(try plain.file(try await plain.run()), channels: 1)[0]
        let second = try BridgeFilm.samples(try moved.file(try await moved.run()), channels: 1)[0]
        #expect(first.firstIndex { $0 > 0.1 } == 48_000)
        #expect(second.firstIndex { $0 > 0.1 } == 48_000 + milliseconds * 48)
    }

    /// Nothing that a decoder takes: an error, and not silence.
    @Test func whatCannotBeDecodedIsNoSilence() async throws {
        let film = try BridgeFilm(
            "b-broken.mkv", sound: Self.tones("stereo", 2), coder: ["-c:a", "dca", "-strict", "-2"], codec: .flac)
        var broken = film.bridged
        for index in broken.facts.streams.indices where broken.facts.streams[index].type == .audio {
            broken.facts.streams[index].codec = "vorbis"
            broken.facts.streams[index].codec = "mp3"
        }
        await #expect(throws: (any Error).self) { try await MuxRun.collect(film.path, broken, from: nil) }
    }
}
