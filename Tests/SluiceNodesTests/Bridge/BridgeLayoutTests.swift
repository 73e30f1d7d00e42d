import Foundation
import SluiceAV
import SluiceCore
import TestTools
import Testing

@testable import SluiceNodes

/// A tone in each channel comes out where the channel's name says, and nowhere else.
@Suite(.enabled(if: PlanSources.isPresent), .serialized)
struct BridgeLayoutTests {
    private static let layouts = ["mono", "stereo", "2.1", "3.0", "quad", "5.0", "5.1", "5.1(side)", "6.1", "7.1"]

    /// Hertz of the tone of a channel; the channel of low frequencies holds only such.
    private static func tone(_ place: Int, _ name: String) -> Double { name == "LFE" ? 60 : 400 + 130 * Double(place) }

    /// Amplitude of a tone in one second of sound.
    private func amplitude(_ samples: ArraySlice<Float>, _ frequency: Double, rate: Double) -> Double {
        var (real, imaginary) = (0.0, 0.0)
        for (number, sample) in samples.enumerated() {
            let angle = 2 * Double.pi * frequency * Double(number) / rate
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(max(1, samples.count))
    }

    @Test(arguments: BridgeCodec.allCases)
    func everyChannelKeepsItsPlace(codec: BridgeCodec) async throws {
        for layout in Self.layouts {
            let names = AudioCodecs.channels(of: layout)
            let voices = names.enumerated().map { "0.3*sin(2*PI*\(Self.tone($0.offset, $0.element))*t)" }
            let text = voices.joined(separator: "|")
            let film = try BridgeFilm(
                "l-\(names.joined()).mkv", sound: ["-f", "lavfi", "-i", "aevalsrc='\(text)':s=48000:d=6:c=\(layout)"],
                coder: ["-c:a", "wavpack"], codec: codec, seconds: 6)
            let path = try film.file(try await film.run())
            let probed = try ExternalTool.text(
                "ffprobe", ["-v", "error", "-show_entries", "stream=channel_layout", "-of", "csv=p=0", path])
            let heard = AudioCodecs.channels(of: String(probed.prefix { $0 != "," && !$0.isNewline }))
            let made = try BridgeFilm.samples(path, channels: heard.count, folds: false)
            try #require(made.count == heard.count && !heard.isEmpty, "\(layout): \(probed)")
            for (place, name) in names.enumerated() {
                let levels = made.map { amplitude($0[96_000..<144_000], Self.tone(place, name), rate: 48_000) }
                check(levels, heard: heard, name: name, "\(layout) to \(codec) (\(probed.prefix(12)))")
            }
        }
    }

    /// - Parameter levels: of the tone of the source's channel `name` in each channel that is heard.
    private func check(_ levels: [Double], heard: [String], name: String, _ what: String) {
        let rear = ["SL": "BL", "SR": "BR", "BL": "SL", "BR": "SR"]
        if let home = heard.firstIndex(of: name) ?? rear[name].flatMap({ heard.firstIndex(of: $0) }) {
            // Folding several into one may lower all by the same share.
            #expect(levels[home] > 0.1 && levels[home] < 0.31, "\(what): \(name) at \(levels[home])")
            for place in levels.indices where place != home {
                #expect(levels[place] < levels[home] / 20, "\(what): \(name) in \(heard[place]) at \(levels[place])")
            }
        } else {
            let isHeard = levels.contains { $0 > 0.05 }
            #expect(isHeard, "\(what): \(name) is nowhere")
        }
    }
}
