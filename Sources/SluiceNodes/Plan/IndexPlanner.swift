import SluiceAV
import SluiceBitstream
import SluiceCore

/// Makes a plan from the container's own index: the first packets and one packet at each boundary are read, no more.
///
/// Every call blocks; it runs on a thread that may.
struct IndexPlanner {
    /// Packets read at the head to find each stream's first presentation time.
    static let headPackets = 400

    let target: Duration
    let minimum: Duration

    init(target: Duration = .seconds(4), minimum: Duration = .seconds(1)) {
        self.target = target
        self.minimum = minimum
    }

    /// - Throws: `.unsupported` where the container has no index that can be trusted.
    func plan(
        _ reader: inout FormatReader, selection: StreamSelection, identity: String?
    ) throws(NodeFailure) -> (TitleFacts, TitlePlan) {
        guard let video = selection.video, let format = reader.streams.first(where: { $0.id == video }) else {
            throw NodeFailure(.unsupported, "a plan from the index needs a picture stream")
        }
        let streams = reader.streams
        reader.select(Set([video] + selection.audio))
        // Matroska reads its cues with the first seek.
        try reader.loadIndex()
        let entries = reader.keyframeIndex(video)
        try reader.rewind()
        let head = try readHead(&reader, selection)
        var facts = FactsBuilder.facts(
            formatName: reader.formatName, identity: identity, streams: streams, selection: selection,
            firsts: head.firsts, cadence: head.cadence(video, format))
        try head.check(video)
        facts.reorderDepth = format.video?.reorderDepth ?? 0
        facts.firstUnits = head.units
        facts.framings = head.framing.map { [video: $0] } ?? [:]
        if let sets = head.sets { facts.versions = [ParameterSetRule.version(sets, format)] }
        guard let clock = facts.clocks[video], let firstPicture = head.firsts[video] else {
            throw NodeFailure(
                .unsupported, "stream \(video.index): no picture among the first \(Self.headPackets) packets")
        }
        let total = reader.duration ?? .zero
        try IndexTrust(target: target).check(entries, format.timebase, duration: total)
        let chosen = try boundaries(
            &reader, entries, clock, video, firstPicture, end: end(total, reader.startTime, facts, clock))
        return (facts, chosen)
    }

    private struct Head {
        var firsts: [StreamID: Int64] = [:]
        var pictures: [Int64] = []
        var units: [StreamID: [UInt8]] = [:]
        var framing: NALFraming?
        /// Parameter sets of the first picture; nil for codecs without them.
        var sets: [[UInt8]]?
        /// The order that the first pictures declare, and whether packets are parts of pictures.
        var stamped: [StampRule.Picture] = []
        var joinsPackets = false
        var kind: PictureKind?
        private var inspector: PictureInspector?

        /// - Throws: `.unsupported` where only a look at all pictures can tell how they are to be served.
        func check(_ video: StreamID) throws(NodeFailure) {
            guard !joinsPackets, StampRule.judge(stamped, points: [0]) == .container,
                inspector?.codec != .h264 || kind == .idr || kind == nil
            else {
                throw NodeFailure(
                    .unsupported, "stream \(video.index): the index does not say how its pictures are ordered")
            }
        }

        /// Pictures in coding order.
        private mutating func note(_ packet: Packet, _ format: StreamFormat) {
            var inspector = inspector ?? PictureInspector(format)
            let place = packet.withUnsafeBytes { inspector.place($0) }
            if kind == nil, packet.isKeyframe { kind = packet.withUnsafeBytes { inspector.look($0, isFlagged: true) } }
            self.inspector = inspector
            if place.continues { joinsPackets = true }
            stamped.append(
                StampRule.Picture(
                    presentation: packet.presentationTicks, decode: packet.decodeTicks, order: place.order))
        }

        /// What initialization sections need, from the first packets of each stream.
        mutating func look(_ packet: Packet, _ format: StreamFormat) {
            if units[packet.stream] == nil {
                units[packet.stream] = packet.withUnsafeBytes { FirstUnitRule.head(format, $0) }
            }
            if format.type == .video { note(packet, format) }
            guard format.type == .video, sets == nil, packet.isKeyframe else { return }
            var inspector = PictureInspector(format)
            guard inspector.codec == .h264 || inspector.codec == .hevc else { return }
            packet.withUnsafeBytes { bytes in
                _ = inspector.look(bytes, isFlagged: true)
                framing = inspector.framing
                sets = ParameterSetRule.merged(
                    ParameterSetRule.sets(format.extradata, codec: inspector.codec),
                    with: inspector.parameterSets(bytes), codec: inspector.codec)
            }
        }

        /// What the container declares, where the first pictures bear it out. Stamps that leave it later are kept as
        /// they are, so that a wrong guess does no harm.
        func cadence(_ video: StreamID, _ format: StreamFormat) -> Timebase? {
            // The last few may present after pictures that were not read.
            let settled = pictures.dropLast(min(16, pictures.count / 2))
            return CadenceRule.period(
                Array(settled), format.timebase, declared: [format.video?.framePeriod].compactMap(\.self))
        }
    }

    private func readHead(_ reader: inout FormatReader, _ selection: StreamSelection) throws(NodeFailure) -> Head {
        var head = Head()
        let wanted = 1 + selection.audio.count
        var settled = 0
        for _ in 0..<Self.headPackets {
            guard let packet = try reader.readPacket() else { break }
            if reader.streams.indices.contains(packet.stream.index) {
                head.look(packet, reader.streams[packet.stream.index])
            }
            guard let time = packet.presentationTicks ?? packet.decodeTicks else { continue }
            if packet.stream == selection.video { head.pictures.append(time) }
            if let known = head.firsts[packet.stream] {
                head.firsts[packet.stream] = min(known, time)
                // Leading pictures of the first group may present before its opening one; a few packets show them.
                settled += 1
            } else {
                head.firsts[packet.stream] = time
            }
            if head.firsts.count == wanted, settled >= Self.headPackets / 2 { break }
        }
        return head
    }

    /// Reads the packet at each index entry that may open a segment, for its exact presentation time.
    private func boundaries(
        _ reader: inout FormatReader, _ entries: [IndexEntry], _ clock: TrackClock, _ video: StreamID,
        _ first: Int64, end: Int64
    ) throws(NodeFailure) -> TitlePlan {
        let ticks = target.nanoseconds.rescaled(from: .nanoseconds, to: clock.timebase)
        let least = minimum.nanoseconds.rescaled(from: .nanoseconds, to: clock.timebase)
        // Index times may be decode times; they choose the candidates, the packets themselves say when they present.
        let candidates = BoundaryRule.starts(
            points: entries.map { clock.output($0.ticks) }, end: end, target: ticks, minimum: least)
        let byTime = Dictionary(entries.map { (clock.output($0.ticks), $0) }, uniquingKeysWith: { first, _ in first })
        var segments: [PlannedSegment] = []
        for (number, candidate) in candidates.enumerated() {
            guard let entry = byTime[candidate] else { continue }
            let start: Int64
            if number == 0 {
                start = clock.output(first)
            } else {
                try reader.seek(stream: video, toTicks: entry.ticks, .backward)
                guard let found = try firstKey(&reader, video) else { continue }
                start = clock.output(found)
            }
            guard segments.last.map({ start > $0.start }) ?? true else { continue }
            segments.append(PlannedSegment(start: start, anchor: anchor(entries, entry, video, number)))
        }
        guard let last = segments.last else { throw NodeFailure(.malformedInput, "no segment start in the index") }
        return TitlePlan(
            basis: .index, timescale: clock.timescale, segments: segments, end: max(end, last.start + 1),
            isProvisional: true)
    }

    private func firstKey(_ reader: inout FormatReader, _ video: StreamID) throws(NodeFailure) -> Int64? {
        for _ in 0..<512 {
            guard let packet = try reader.readPacket() else { return nil }
            guard packet.stream == video, packet.isKeyframe else { continue }
            return packet.presentationTicks
        }
        return nil
    }

    /// One random access point earlier than the segment's own: sound that belongs to the segment may lie before its
    /// opening picture in the file.
    private func anchor(
        _ entries: [IndexEntry], _ entry: IndexEntry, _ video: StreamID, _ number: Int
    ) -> ReadAnchor {
        guard number > 0, let place = entries.firstIndex(of: entry), place > 1 else { return .head }
        return .index(stream: video, ticks: entries[place - 1].ticks)
    }

    private func end(
        _ total: Duration, _ start: Timestamp?, _ facts: TitleFacts, _ clock: TrackClock
    ) -> Int64 {
        // The container's duration counts from its own start, the plan from the title's origin.
        let begin = (start?.nanoseconds ?? 0) &- facts.origin.nanoseconds
        return (total.nanoseconds &+ begin).rescaled(from: .nanoseconds, to: clock.timebase)
    }
}
