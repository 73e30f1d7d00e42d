import SluiceAV
import SluiceCore

/// Decodes the packets of one sound and puts its samples where they belong, as one run without holes: what the source does
/// not have is silence. Calls may take a while.
final class PlacedSamples {
    /// What became of the packets.
    struct Counts: Equatable {
        var fed = 0
        var rejected = 0
        /// Runs of samples that came out of the decoder.
        var decoded = 0
        /// Samples that nothing in the source stands for.
        var silent = 0
    }

    private let delay: Duration
    /// Time of the stream's first sample, on the packets' clock.
    private let first: Timestamp?
    /// Blocks of Vorbis and its kin are powers of two, and their frames quarters of those.
    private let share: Int
    private let outputRate: Int64
    private var decoder: AudioDecoder
    private var resampler: AudioResampler
    private var queue: SampleQueue
    private var rule: StretchRule?
    /// Decoded frames of which it is not known yet where they lie.
    private var waiting: [Frame] = []
    /// Where the next resampled sample belongs; nil before the first stretch.
    private var place: Int64?
    private var isDrained = false
    /// Time of the first sample that was not taken yet, on the output's clock.
    private(set) var position: Int64
    /// Time from which on nothing is wanted: more silence than it has room for is of no use.
    let end: Int64
    private(set) var counts = Counts()
    /// The latest reason why a packet was not decoded.
    private(set) var failure: NodeFailure?

    /// - Parameters:
    ///   - timebase: of the packets.
    ///   - rate: of the samples that are made, as is `layout` and `samples`, their type.
    ///   - first: when the stream begins; nil where nothing says it.
    ///   - start: first sample that is wanted, counted from the title's origin.
    /// - Throws: `.unsupported`, `.malformedInput` or `.invalidOption` where a decoder cannot be opened.
    init(
        _ format: StreamFormat, timebase: Timebase, rate: Int, layout: String, samples: String, start: Int64,
        end: Int64 = .max, delay: Duration = .zero, first: Int64? = nil
    ) throws(NodeFailure) {
        decoder = try AudioDecoder(format, timebase: timebase)
        resampler = try AudioResampler(stream: format.id, sampleRate: rate, layout: layout, sampleFormat: samples)
        queue = try SampleQueue(stream: format.id, sampleRate: rate, layout: layout, sampleFormat: samples)
        outputRate = Int64(max(1, rate))
        position = start
        self.end = end
        self.delay = delay
        share = format.codec == "vorbis" || format.audio?.frameSize == nil ? 64 : 0
        self.first = first.map { Timestamp($0, timebase) }
    }

    /// Samples that can be taken.
    var count: Int { queue.count }

    /// - Throws: `.unsupported` where the samples cannot be converted; damaged packets are counted.
    func add(_ packet: Packet) throws(NodeFailure) {
        counts.fed += 1
        do throws(NodeFailure) { try decoder.send(packet) } catch { reject(error) }
        try receive()
    }

    /// The sound has no more.
    func finish() throws(NodeFailure) {
        guard !isDrained else { return }
        isDrained = true
        do throws(NodeFailure) { try decoder.send(nil) } catch { failure = error }
        try receive()
        try settle(at: rule?.finish())
        try append(try resampler.drain())
    }

    /// Takes samples from the front; nil while there are fewer.
    func take(_ samples: Int) throws(NodeFailure) -> Frame? {
        guard let frame = try queue.take(samples, at: position) else { return nil }
        position &+= Int64(samples)
        return frame
    }

    func addSilence(_ samples: Int64) throws(NodeFailure) {
        guard samples > 0 else { return }
        counts.silent += Int(samples)
        try queue.appendSilence(Int(samples))
    }

    // MARK: - Private

    private func reject(_ error: NodeFailure) {
        counts.rejected += 1
        failure = error
    }

    private func receive() throws(NodeFailure) {
        while true {
            let frame: Frame?
            do throws(NodeFailure) { frame = try decoder.receive() } catch { return reject(error) }
            guard let frame else { return }
            counts.decoded += 1
            try take(frame)
        }
    }

    private func take(_ frame: Frame) throws(NodeFailure) {
        let rate = Timebase(hertz: Int32(clamping: frame.sampleRate))
        let shift = delay.nanoseconds.rescaled(from: .nanoseconds, to: rate)
        if rule?.rate != Int64(frame.sampleRate) {
            try settle(at: rule?.finish())
            try append(try resampler.drain())
            let phase = first.map { $0.ticks.rescaled(from: $0.timebase, to: rate) &+ shift }
            rule = StretchRule(rate: frame.sampleRate, phase: phase, share: share)
        }
        let stamp = frame.presentationTicks.map { $0.rescaled(from: frame.timebase, to: rate) &+ shift }
        switch rule?.add(stamp: stamp, count: frame.sampleCount) {
        case .wait: waiting.append(frame)
        case .settle(let start):
            waiting.append(frame)
            try settle(at: start)
        case .restart(let start):
            try settle(at: start)
            try append(try resampler.drain())
            place = nil
            waiting = [frame]
        case .follow, nil: try append(try resampler.convert(frame))
        }
    }

    /// The samples that wait begin at `start`, on the decoder's clock; nil where nothing waits.
    private func settle(at start: Int64?) throws(NodeFailure) {
        let frames = waiting
        waiting = []
        guard let start, let first = frames.first else { return }
        // Samples of both rates coincide only now and then: the resampler begins where they do.
        let input = Int64(max(1, first.sampleRate))
        let step = input / max(1, StretchRule.divisor(input, outputRate))
        let skipped = (step &- ((start % step) &+ step) % step) % step
        var rest = skipped
        place = (start &+ skipped).scaled(by: outputRate, over: input)
        for frame in frames {
            let length = Int64(frame.sampleCount)
            if rest < length {
                let kept = rest > 0 ? try frame.dropping(Int(rest)) : frame
                if let kept { try append(try resampler.convert(kept)) }
            }
            rest = max(0, rest - length)
        }
    }

    private func append(_ frame: Frame?) throws(NodeFailure) {
        guard let frame, let place else { return }
        let next = place &+ Int64(frame.sampleCount)
        self.place = next
        let known = position &+ Int64(queue.count)
        guard next > known else { return }
        if place > known {
            // A hole may be longer than is wanted.
            try addSilence(min(place, max(end, known)) &- known)
        }
        guard place < end else { return }
        try queue.append(frame, skipping: Int(max(0, known &- place)))
    }
}
