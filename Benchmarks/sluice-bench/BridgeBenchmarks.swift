import Glibc
import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTransport

/// The bridge on a minute of sound that was demultiplexed and repaired before: an item is a second of sound, so a billion
/// nanoseconds an item would be real time.
let bridgeBenchmarks: [NodeBenchmark] = [
    bridge("truehd", "-c:a truehd -strict -2", "5.1", to: .eac3, frames: 1_875),
    bridge("dts", "-c:a dca -strict -2", "5.1(side)", to: .flac, frames: 704),
    bridge("mp3", "-c:a libmp3lame -b:a 192k", "stereo", to: .aac, frames: 2_813),
]

private func bridge(
    _ name: String, _ coder: String, _ layout: String, to codec: BridgeCodec, frames: Int
) -> NodeBenchmark {
    NodeBenchmark(name: "bridge/\(name)-to-\(codec)", items: BridgeSound.seconds, hops: 2) {
        let sound = try await BridgeSound.shared.sound(name, coder, layout, codec)
        let result: (items: [Item<Packet>], payloads: Int) = try await NodeLine.items(
            "audio-bridge", sound.packets, to: "packets", resources: sound.resources, keeps: false)
        guard result.payloads == frames else { throw WrongResult(expected: frames, got: result.payloads) }
    }
}

/// Packets of a minute of sound, made once a process for each kind.
private actor BridgeSound {
    struct Sound: Sendable {
        var packets: [Item<Packet>]
        var resources: Resources
    }

    static let seconds = 60
    static let shared = BridgeSound()
    private var made: [String: Sound] = [:]

    func sound(_ name: String, _ coder: String, _ layout: String, _ codec: BridgeCodec) async throws -> Sound {
        if let known = made[name] { return known }
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let path = "\(parent)/sluice-bridge-\(getpid())-\(name).mkv"
        defer { unlink(path) }
        try BenchmarkFilm.ffmpeg(
            "-f lavfi -i testsrc2=size=64x36:rate=25:duration=\(Self.seconds) "
                + "-f lavfi -i anoisesrc=color=pink:amplitude=0.3:sample_rate=48000:duration=\(Self.seconds) "
                + "-af aformat=channel_layouts=\(layout) -c:v libx264 -preset ultrafast -g 50 \(coder) \(path)")
        let title = try await BlockingThreads.shared.run { () throws(NodeFailure) -> PlannedTitle in
            let source = try FileSource(path: path)
            defer { source.close() }
            var options = PlanBuilder.Options()
            options.basis = .scan
            return try PlanBuilder.title(source, hint: path, options: options)
        }
        guard let stream = title.facts.sounds.first, let format = title.facts.format(stream) else {
            throw NodeFailure(.internalInvariant, "no sound in '\(path)'")
        }
        let bridged = BridgedSound(
            stream: stream, codec: codec, encoded: try EncodedSound.look(BridgePolicy.settings(format, codec)),
            rendition: "audio-1-\(codec.rawValue)")
        let facts = title.facts.bridging(bridged, isAlone: true)
        let resources = Resources.none.with(facts).with(title.plan)
        let link = ByteLink()
        link.provide(try FileSource(path: path), name: "sound.mkv")
        defer { link.close() }
        let demuxed: (items: [Item<Packet>], payloads: Int) = try await NodeLine.run(
            "demuxer", inputs: ["bytes": link], to: "packets", resources: resources, keeps: true)
        let repaired: (items: [Item<Packet>], payloads: Int) = try await NodeLine.items(
            "repair", demuxed.items, to: "packets", resources: resources)
        let packets = repaired.items.filter { item in
            if case .payload(let packet) = item { packet.stream == stream } else { true }
        }
        let sound = Sound(packets: packets, resources: resources)
        made[name] = sound
        return sound
    }
}
