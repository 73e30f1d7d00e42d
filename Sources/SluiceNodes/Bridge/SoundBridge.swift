import SluiceAV
public import SluiceCore

/// Turns the packets of one sound into frames of another codec, segment by segment. No ports, no tasks; calls may take a
/// while.
struct SoundBridge {
    /// Packets and bytes that are kept for the segment that comes next.
    static let packetLimit = 1 << 15
    static let byteLimit = 32 << 20
    /// Sound that comes later than this behind pictures of its time, in the order of the file, is not waited for.
    static let longestLag = Duration.seconds(10)
    /// Packets without a sample after which nothing is expected of the others.
    ///
    /// - Note: behaviours AB-18.
    static let patience = 80

    let sound: BridgedSound
    private let format: StreamFormat
    private let timebase: Timebase
    private let timeline: BridgeTimeline
    private let preroll: Duration
    /// When the stream begins, in ticks of its clock; nil where nothing says it.
    private let first: Int64?
    private var run: BridgeRun?
    private var index = 0
    /// The latest packets, as far as the next segment may need them.
    private var recent: [Packet] = []
    private var recentBytes = 0
    private(set) var ready: [Packet] = []
    /// Of this epoch.
    private(set) var counts = PlacedSamples.Counts()
    private(set) var failure: NodeFailure?

    /// - Throws: `.internalInvariant` where the facts do not bridge the stream.
    init(_ facts: TitleFacts, _ plan: TitlePlan, _ stream: StreamID) throws(NodeFailure) {
        guard let sound = facts.bridges[stream], let format = facts.format(stream), let clock = facts.clocks[stream]
        else { throw NodeFailure(.internalInvariant, "stream \(stream.index) is not bridged") }
        self.sound = sound
        self.format = format
        timebase = clock.timebase
        timeline = BridgeTimeline(sound.encoded, plan)
        first = facts.firstSample(stream)
        preroll = DecoderTraits.preroll(format.codec)
    }

    /// Everything before segment `first` counts as never made.
    mutating func begin(at first: Int) {
        run = nil
        index = max(0, first)
        recent = []
        recentBytes = 0
        ready = []
        (counts, failure) = (PlacedSamples.Counts(), nil)
    }

    /// Whether every segment of the plan was made.
    var isFinished: Bool { index >= timeline.count }

    mutating func takeReady() -> [Packet] {
        defer { ready = [] }
        return ready
    }

    /// - Throws: what a decoder or encoder that cannot be opened throws; ``noOutput`` where nothing can be decoded.
    mutating func add(_ packet: Packet) throws(NodeFailure) {
        guard !isFinished, packet.presentationTicks != nil else { return }
        recent.append(packet)
        recentBytes += packet.byteCount
        try feed(packet)
        while let run, run.isComplete { try advance() }
        if counts.decoded == 0, (run?.counts.decoded ?? 0) == 0, (run?.counts.rejected ?? 0) >= Self.patience {
            throw noOutput
        }
    }

    /// The sound has no more: makes one more segment of what is left, silence in the end.
    ///
    /// - Returns: whether there is another one.
    mutating func finishSegment() throws(NodeFailure) -> Bool {
        guard !isFinished else { return false }
        if run == nil { run = try open() }
        try run?.finish()
        collect()
        if counts.decoded == 0, counts.fed > 0 { throw noOutput }
        try advance()
        return !isFinished
    }

    /// Whether the other streams are so far beyond the segment that no more sound is expected for it.
    ///
    /// - Parameter position: of another stream's packet, nanoseconds from the title's origin.
    func isOverdue(at position: Int64) -> Bool {
        guard !isFinished else { return false }
        let end = timeline.boundaries(at: index + 1).rescaled(from: timeline.timebase, to: .nanoseconds)
        return position &- Self.longestLag.nanoseconds > end
    }

    /// Nothing came out, whatever went in.
    private var noOutput: NodeFailure {
        NodeFailure(
            .audioBridgeProducedNoOutput,
            "stream \(sound.stream.index) (\(format.codec)): nothing came of \(counts.fed + (run?.counts.fed ?? 0)) packets; "
                + "the last one: \(run?.failure?.message ?? failure?.message ?? "no sample")")
    }

    // MARK: - Private

    private mutating func open() throws(NodeFailure) -> BridgeRun {
        try BridgeRun(sound, format, timebase: timebase, first: first, frames: timeline.frames(of: index))
    }

    private mutating func feed(_ packet: Packet) throws(NodeFailure) {
        guard isNeeded(packet, by: index) else { return }
        if run == nil { run = try open() }
        try run?.add(packet)
        if let run, !run.ready.isEmpty { ready += run.takeReady() }
    }

    /// The next segment begins with the packets that it needs of those that were.
    private mutating func advance() throws(NodeFailure) {
        collect()
        run = nil
        index += 1
        guard !isFinished else {
            recent = []
            return
        }
        forget()
        for packet in recent {
            try feed(packet)
            if run?.isComplete ?? false { break }
        }
    }

    /// Takes over what a run says of itself.
    private mutating func collect() {
        guard let run else { return }
        ready += run.takeReady()
        counts.fed += run.counts.fed
        counts.rejected += run.counts.rejected
        counts.decoded += run.counts.decoded
        counts.silent += run.counts.silent
        failure = run.failure ?? failure
    }

    /// Decided from the packet's own stamp, so that it does not matter what came before it.
    private func isNeeded(_ packet: Packet, by index: Int) -> Bool {
        guard let time = packet.presentationTicks else { return false }
        let start = timeline.boundaries(at: index).rescaled(from: timeline.timebase, to: .nanoseconds)
        let own = time.rescaled(from: packet.timebase, to: .nanoseconds) &+ sound.delay.nanoseconds
        return own >= start &- preroll.nanoseconds
    }

    private mutating func forget() {
        recent = recent.filter { isNeeded($0, by: index) }
        while recent.count > Self.packetLimit || recent.reduce(0, { $0 + $1.byteCount }) > Self.byteLimit {
            recent.removeFirst(max(1, recent.count / 4))
        }
        recentBytes = recent.reduce(0) { $0 + $1.byteCount }
    }
}

extension BridgeTimeline {
    func boundaries(at index: Int) -> Int64 { frames[min(max(0, index), frames.count - 1)] &* frameSize }
}

extension NodeFailure.Code {
    /// A sound was there, and a decoder, but not one sample came of it.
    public static let audioBridgeProducedNoOutput = NodeFailure.Code(rawValue: "audio-bridge-produced-no-output")
}
