import Foundation
import SluiceBitstream
import SluiceCore
import SluiceTransport
import TestTools
import Testing

@testable import SluiceNodes

/// A film whose sound is bridged, and what comes of it.
struct BridgeFilm {
    static let seconds = 24
    let path: String
    let title: PlannedTitle
    let sound: BridgedSound
    /// The title with the facts of the producer of its bridged sound.
    let bridged: PlannedTitle

    /// - Parameters:
    ///   - sound: what ffmpeg is given for the sound: its input, then the coder.
    init(
        _ name: String, sound: [String], coder: [String], codec: BridgeCodec, video: [String] = [],
        delay: Duration = .zero, seconds: Int = BridgeFilm.seconds
    ) throws {
        let made = PlanSources.make(
            name,
            ["-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=\(seconds)"] + sound
                + ["-c:v", "libx264", "-preset", "ultrafast", "-g", "50"] + video + coder)
        try self.init(path: made.get(), codec: codec, delay: delay)
    }

    init(path: String, codec: BridgeCodec, delay: Duration = .zero) throws {
        self.path = path
        let source = try Transport.open(path)
        defer { source.close() }
        var options = PlanBuilder.Options()
        options.mayBeProvisional = false
        title = try PlanBuilder.title(source, hint: path, options: options)
        let stream = try #require(title.facts.sounds.first)
        let format = try #require(title.facts.format(stream))
        sound = BridgedSound(
            stream: stream, codec: codec,
            encoded: try EncodedSound.look(BridgePolicy.settings(format, codec)), rendition: "audio-1-\(codec)",
            delay: delay)
        var bridged = title
        bridged.facts = title.facts.bridging(sound, isAlone: true)
        self.bridged = bridged
    }

    func run(from index: Int? = nil) async throws -> [MuxRun.Key: [UInt8]] {
        try await MuxRun.collect(path, bridged, from: index)
    }

    func segment(_ index: Int) -> MuxRun.Key { MuxRun.Key(rendition: sound.rendition, index: index, version: 0) }

    /// The whole rendition as one file.
    func file(_ fragments: [MuxRun.Key: [UInt8]]) throws -> String {
        var bytes = try #require(fragments[MuxRun.Key(rendition: sound.rendition, index: nil, version: 0)])
        for index in title.plan.segments.indices {
            bytes += try #require(fragments[segment(index)], "segment \(index)")
        }
        let out = PlanSources.directory + "/\(UUID().uuidString).mp4"
        try Data(bytes).write(to: URL(fileURLWithPath: out))
        return out
    }

    /// Decoded sound, channel by channel: samples from the title's origin.
    static func samples(_ path: String, channels: Int, arguments: [String] = [], folds: Bool = true) throws
        -> [[Float]]
    {
        let data = try ExternalTool.run(
            "ffmpeg",
            ["-v", "error", "-i", path] + arguments + ["-vn"] + (folds ? ["-ac", "\(channels)"] : []) + [
                "-f", "f32le", "-",
            ])
        let flat = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        var planes = [[Float]](repeating: [], count: channels)
        for channel in 0..<channels {
            planes[channel] = stride(from: channel, to: flat.count, by: channels).map { flat[$0] }
        }
        return planes
    }

    /// Noise against the sound it was made of, as the ratio of peak (1) to it in decibels.
    static func quality(_ made: ArraySlice<Float>, _ wanted: ArraySlice<Float>) -> Double {
        var sum = 0.0
        for (left, right) in zip(made, wanted) { sum += pow(Double(left - right), 2) }
        let mean = sum / Double(max(1, min(made.count, wanted.count)))
        return mean > 0 ? -10 * log10(mean) : 200
    }

    /// Samples by which `wanted` has to be moved to be nearest to `made` around a place.
    static func lag(_ made: [Float], _ wanted: [Float], at place: Int, within reach: Int) -> Int {
        var best = (error: Double.infinity, lag: 0)
        for lag in -reach...reach where place + lag >= 0 && place + lag + 4_000 <= wanted.count {
            var error = 0.0
            for sample in 0..<4_000 {
                let difference = made[place + sample] - wanted[place + lag + sample]
                error += Double(difference * difference)
            }
            if error < best.error { best = (error, lag) }
        }
        return best.lag
    }
}
