import SluiceAV
public import SluiceCore
public import SluiceDataflow

/// Turns a source's bytes into one interleaved line of packets.
///
/// Streams without a decoder, attached pictures and fonts are listed and set apart. A seek to a segment goes to the
/// plan's read anchor, a seek to a time to the last random access point before it.
public actor DemuxerNode: SourceNode {
    public static let descriptor = NodeDescriptor(
        kind: "demuxer",
        ports: [
            .input("bytes", .bytes),
            .output("packets", .packet),
        ],
        options: [
            OptionDescriptor(
                "probeSize", .byteSize(2_048...(1 << 30)), default: .byteSize(ProbeBudget.defaultBytes),
                "Bytes read at most to learn what the streams are."),
            OptionDescriptor(
                "analyze", .duration(.milliseconds(1)...(.seconds(3_600))),
                default: .duration(ProbeBudget.defaultAnalyze),
                "Timeline examined at most to learn what the streams are."),
            OptionDescriptor(
                "streams", .choice(["all", "served"]), default: .string("all"),
                "Whether every readable stream is sent, or only those that the title's facts serve."),
        ],
        mayBlock: true,
        workingSetBytes: 8 << 20,
        summary: "Demultiplexes a container into packets."
    )

    public let core: NodeCore
    public var outputs: [any AnyOutputPort] { [output] }
    private let link: ByteLink
    private let output: OutputPort<Packet>
    private let budget: ProbeBudget
    private let facts: TitleFacts?
    private let plan: TitlePlan?
    private let servedOnly: Bool
    private let catalog: StreamCatalog?
    private var reader: PieceReader?
    /// The interrupt token is passed on to the source.
    private var isWatching = false
    private var start: Timestamp?
    private var streams: [StreamFormat] = []

    public init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        link = try context.byteInput("bytes")
        output = try context.output("packets")
        budget = ProbeBudget(bytes: try context.byteSize("probeSize"), analyze: try context.duration("analyze"))
        facts = context.optionalResource(TitleFacts.self)
        plan = context.optionalResource(TitlePlan.self)
        catalog = context.optionalResource(StreamCatalog.self)
        servedOnly = try context.string("streams") == "served"
        reader = nil
    }

    public func produce() async throws(NodeFailure) -> ProduceResult {
        if reader == nil {
            guard try open() else { return .wouldBlock }
            await announce(at: 0)
        }
        let isOver = try read()
        if isOver || output.isPushDue { await output.push() }
        return isOver ? .ended(reader?.reader.endReason ?? .sourceEnded) : .produced
    }

    public func seek(_ request: SeekRequest) async throws(NodeFailure) -> String? {
        let index: Int
        do {
            // A seek that comes before the source is open begins production at its target.
            while reader == nil {
                if try open() { break }
                if core.isCancelled || core.inbox.hasMessages { return nil }
                await core.park()
            }
            index = try move(to: request.target)
        } catch {
            if error.code == .unsupported || error.code == .invalidOption { return error.message }
            // A later seek or the end interrupted this one.
            if error.code == .cancelled { return nil }
            throw error
        }
        await announce(at: index)
        return nil
    }

    // MARK: - Private

    /// False while the reader node has not handed over the source.
    private func open() throws(NodeFailure) -> Bool {
        switch link.offer {
        case .pending: return false
        case .failed(let failure): throw failure
        case .closed: throw NodeFailure(.cancelled, "the source was closed before it was opened")
        case .source(let source):
            if !isWatching {
                isWatching = true
                core.interrupt.onChange { raised in raised ? source.interrupt() : source.resume() }
            }
            if let known = facts?.identity, let found = source.identity, known != found {
                throw NodeFailure(.sourceChanged, "the source is another one than was planned")
            }
            let (budget, name, facts) = (budget, link.name, facts)
            let opened = try BlockingScope.run { () throws(NodeFailure) -> PieceReader in
                let pieces = facts?.pieces ?? []
                guard let facts, Self.needsNoProbe(facts) else {
                    return try PieceReader(source, hint: name, budget: budget, pieces: pieces)
                }
                var bare = budget
                bare.inspectsStreams = false
                let reader = try PieceReader(source, hint: name, budget: bare, pieces: pieces)
                if Self.agree(reader.reader.streams, facts.streams) { return reader }
                return try PieceReader(source, hint: name, budget: budget, pieces: pieces)
            }
            if servedOnly, let facts { opened.select(Set(facts.read)) }
            if let facts, let plan, Self.isTrusted(facts, plan) { opened.reader.trustContainer() }
            start = opened.reader.startTime
            streams = opened.reader.streams
            catalog?.set(
                StreamCatalog.Contents(
                    formatName: opened.reader.formatName, streams: streams, duration: opened.reader.duration,
                    chapters: opened.reader.chapters, metadata: opened.reader.metadata))
            reader = opened
            return true
        }
    }

    /// Whether the container's header lists all its streams: what else there is to know of them the facts say, and no
    /// packet need be read to learn it.
    private static func needsNoProbe(_ facts: TitleFacts) -> Bool {
        facts.formatName.hasPrefix("matroska") || facts.formatName.hasPrefix("mov")
    }

    /// Whether the survey saw the container's own marks and compared them with the pictures. An index alone has not been
    /// compared, and movie files without usable tables are surveyed through parsers.
    static func isTrusted(_ facts: TitleFacts, _ plan: TitlePlan) -> Bool {
        guard facts.video != nil, !plan.isProvisional else { return false }
        return facts.formatName.hasPrefix("mov") ? plan.basis == .sampleTables : plan.basis == .scan
    }

    private static func agree(_ found: [StreamFormat], _ known: [StreamFormat]) -> Bool {
        found.count == known.count
            && zip(found, known).allSatisfy { found, known in
                found.id == known.id && found.codec == known.codec && found.timebase == known.timebase
            }
    }

    /// Stages packets until a batch is complete or somebody wants something else; true at the end.
    private func read() throws(NodeFailure) -> Bool {
        try BlockingScope.run { () throws(NodeFailure) -> Bool in
            repeat {
                guard let packet = try reader?.readPacket() else { return true }
                output.stage(packet)
            } while !output.isPushDue && !core.inbox.hasMessages && !core.isCancelled
            return false
        }
    }

    /// Moves the reader; returns the index of the segment that the epoch begins with (0 without a plan).
    private func move(to target: SeekTarget) throws(NodeFailure) -> Int {
        guard let plan else {
            guard case .time(let time) = target else {
                throw NodeFailure(.invalidOption, "a seek to a segment needs a plan; this graph has none")
            }
            try moveToTime(time)
            return 0
        }
        let index: Int
        switch target {
        case .segment(let wanted): index = wanted
        case .time(let time): index = plan.index(at: time)
        }
        guard plan.segments.indices.contains(index) else {
            throw NodeFailure(.invalidOption, "segment \(index) is outside the plan of \(plan.segments.count)")
        }
        try BlockingScope.run { () throws(NodeFailure) in
            // What is decoded is decoded from before its segment on.
            let isEarly = facts.map { !$0.bridges.isEmpty } ?? false
            switch plan.segments[isEarly ? plan.early(index) : index].anchor {
            case .head: try reader?.rewind()
            case .index(let stream, let ticks): try reader?.reader.seek(stream: stream, toTicks: ticks, .backward)
            case .byte(let offset): try reader?.seek(toByte: offset)
            }
        }
        return index
    }

    private func moveToTime(_ time: Timestamp) throws(NodeFailure) {
        guard
            let stream = streams.first(where: { $0.type == .video && $0.parked == nil })
                ?? streams.first(where: { $0.parked == nil })
        else { throw NodeFailure(.unsupported, "no stream to seek on") }
        // Targets are on the output timeline, which begins where the source does.
        let origin = (facts?.origin ?? start)?.converted(to: stream.timebase).ticks ?? 0
        let (ticks, overflow) = time.converted(to: stream.timebase).ticks.addingReportingOverflow(origin)
        guard !overflow else { throw NodeFailure(.invalidOption, "a seek to \(time) is beyond the source's clock") }
        try BlockingScope.run { () throws(NodeFailure) in
            try reader?.reader.seek(stream: stream.id, toTicks: ticks, .backward)
        }
    }

    /// The sticky events that open an epoch.
    private func announce(at index: Int) async {
        await output.send(.streams(streams))
        let origin = facts?.origin ?? start ?? Timestamp(0, .microseconds)
        let begin = plan.map { $0.segments.indices.contains(index) ? $0.start(index) : Timestamp(0, $0.timebase) }
        guard let begin, begin.ticks != 0 else {
            return await output.send(
                .segment(TimelineSegment(start: Timestamp(0, .microseconds), sourceStart: origin)))
        }
        // The same distance from the start of both timelines.
        let zero = TimelineSegment(start: origin, sourceStart: Timestamp(0, .microseconds))
        let source = Timestamp(zero.output(begin.nanoseconds), .nanoseconds)
        await output.send(.segment(TimelineSegment(start: begin, sourceStart: source)))
    }
}
