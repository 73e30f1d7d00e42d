import SluiceAV
import SluiceBitstream
import SluiceCore

/// Makes the frames of one segment of a bridged sound: decoder, resampler and encoder begin anew with it.
///
/// The decoder is fed from its preroll on, and the encoder from frames before the first that counts, so what comes out
/// depends on the packets around the segment alone and is the same whoever makes it. Neighbouring segments decode the same
/// samples and stand on the same grid of frames, so they join as if one encoder had made them. Every call may take a while.
final class BridgeRun {
    private let sound: BridgedSound
    private let frames: Range<Int64>
    private let frameSize: Int64
    private var samples: PlacedSamples
    private var encoder: AudioEncoder
    private var next: Int64
    private(set) var ready: [Packet] = []

    /// - Throws: `.unsupported`, `.malformedInput` or `.invalidOption` where a decoder or encoder cannot be opened.
    init(
        _ sound: BridgedSound, _ format: StreamFormat, timebase: Timebase, first: Int64?, frames: Range<Int64>
    ) throws(NodeFailure) {
        self.sound = sound
        self.frames = frames
        let settings = sound.encoded.settings
        frameSize = Int64(max(1, sound.encoded.frameSize))
        next = frames.lowerBound
        let encoder = try AudioEncoder(settings, stream: sound.stream)
        let padding = Int64(encoder.padding)
        self.encoder = encoder
        let begin = frames.lowerBound &- DecoderTraits.warmUp(sound.codec)
        samples = try PlacedSamples(
            format, timebase: timebase, rate: settings.sampleRate, layout: settings.layout,
            samples: settings.sampleFormat, start: begin &* frameSize &+ padding,
            end: (frames.upperBound &+ 4) &* frameSize &+ padding, delay: sound.delay, first: first)
    }

    /// Whether every frame of the segment was made.
    var isComplete: Bool { next >= frames.upperBound }
    var counts: PlacedSamples.Counts { samples.counts }
    /// The latest reason why a packet was not decoded.
    var failure: NodeFailure? { samples.failure }

    func takeReady() -> [Packet] {
        defer { ready = [] }
        return ready
    }

    /// - Throws: `.unsupported` where the samples cannot be converted; damaged packets are counted.
    func add(_ packet: Packet) throws(NodeFailure) {
        guard !isComplete else { return }
        try samples.add(packet)
        try encode()
    }

    /// The sound has no more: what is left of the segment is silence.
    func finish() throws(NodeFailure) {
        guard !isComplete else { return }
        try samples.finish()
        try encode()
        while !isComplete {
            try samples.addSilence(frameSize)
            try encode()
        }
    }

    private func encode() throws(NodeFailure) {
        while !isComplete, let chunk = try samples.take(Int(frameSize)) {
            try encoder.send(chunk)
            while let packet = try encoder.receive() { try emit(packet) }
        }
    }

    private func emit(_ packet: Packet) throws(NodeFailure) {
        guard let time = packet.presentationTicks else { return }
        let number = time >= 0 ? time / frameSize : -1
        guard number == next, number < frames.upperBound, number &* frameSize == time else { return }
        next &+= 1
        var packet = packet
        if sound.codec == .flac {
            guard let bytes = FLACFrame.renumbered(packet.bytes, to: number) else {
                throw NodeFailure(.internalInvariant, "frame \(number): the encoder made no FLAC frame")
            }
            packet.replaceBytes(bytes)
        }
        packet.setTimes(presentation: time, decode: nil, duration: frameSize, in: sound.encoded.timebase)
        packet.setKeyframe(true)
        ready.append(packet)
    }
}
