package import SluiceAV
package import SluiceCore

/// Reads one sound of a title as samples of one rate and layout, from the title's origin on, without a graph. Blocks.
package final class SoundTap {
    /// Samples that are handed out at one time.
    package static let chunk = 48_000

    private var reader: FormatReader
    private var repair: PacketRepair
    private let samples: PlacedSamples
    private let stream: StreamID
    private var isOver = false

    package var rejected: Int { samples.counts.rejected }
    package var decoded: Int { samples.counts.decoded }
    package var failure: NodeFailure? { samples.failure }

    /// - Parameters:
    ///   - rate: hertz of what is read; `layout` and `format` are FFmpeg's names.
    /// - Throws: what the container throws; `.unsupported` where the sound cannot be decoded, `.invalidOption` where the title
    ///   has no such sound.
    package init(
        _ source: any ByteSource, hint: String?, title: PlannedTitle, stream: StreamID, rate: Int = 48_000,
        layout: String = "mono", format: String = "flt"
    ) throws(NodeFailure) {
        guard let known = title.facts.format(stream), known.type == .audio else {
            throw NodeFailure(.invalidOption, "stream \(stream.index) is no sound of the source")
        }
        if let refusal = BridgePolicy.refusal(known) {
            throw NodeFailure(.unsupported, "stream \(stream.index): \(refusal)")
        }
        var facts = title.facts
        facts.clocks[stream] = facts.sourceClock(stream)
        facts.spans[stream] = StreamSpan(start: .min / 4, end: 0)
        guard let clock = facts.clocks[stream] else {
            throw NodeFailure(.unsupported, "stream \(stream.index): nothing says how its time is counted")
        }
        reader = try FormatReader(source: source, hint: hint)
        reader.select([stream])
        repair = PacketRepair(facts)
        self.stream = stream
        samples = try PlacedSamples(
            known, timebase: clock.timebase, rate: rate, layout: layout, samples: format, start: 0,
            first: facts.firstSample(stream))
    }

    /// The next samples; nil at the end of the sound.
    ///
    /// - Throws: what reading the source throws; `.audioBridgeProducedNoOutput` where nothing can be decoded.
    package func next() throws(NodeFailure) -> Frame? {
        while samples.count < Self.chunk, !isOver {
            guard let packet = try reader.readPacket() else {
                isOver = true
                try samples.finish()
                break
            }
            guard packet.stream == stream, case .place(let placed) = repair.repair(packet) else { continue }
            try samples.add(placed)
        }
        if isOver, samples.counts.decoded == 0 {
            throw NodeFailure(
                .audioBridgeProducedNoOutput,
                "stream \(stream.index): nothing came of \(samples.counts.fed) packets; "
                    + (samples.failure?.message ?? "there are none"))
        }
        let count = min(samples.count, Self.chunk)
        return count > 0 ? try samples.take(count) : nil
    }
}
