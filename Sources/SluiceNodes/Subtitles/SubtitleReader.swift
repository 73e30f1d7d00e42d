import SluiceAV
package import SluiceBitstream
package import SluiceCore

/// Takes what a reader finds, and tells it where to go.
package protocol SubtitleSink: AnyObject, Sendable {
    /// Where to read next; nil where nothing is wanted any more.
    func nextGoal() -> SubtitleReader.Goal?

    /// - Parameters:
    ///   - covered: milliseconds; everything that begins in it has been given.
    /// - Returns: whether to read on.
    func take(_ cues: [SubtitleReader.Found], covered: Range<Int64>) -> Bool
}

/// Reads the text tracks of a source from front to back, or from where somebody wants them. Blocks.
package struct SubtitleReader {
    package struct Goal: Sendable, Hashable {
        /// Milliseconds of the title from which on everything is wanted; at 0 from the first packet on.
        package var from: Int64

        package init(from: Int64) { self.from = from }
    }

    /// What is read.
    package enum Wanted: Sendable, Hashable {
        case texts
        /// The packets of one stream as they are.
        case packets(StreamID)
    }

    package enum Item: Sendable {
        case cue(TextCue)
        case packet(StoredPacket)
    }

    package struct Found: Sendable {
        package var stream: StreamID
        package var item: Item
        /// Offset in the file.
        package var position: Int64
    }

    private let facts: TitleFacts
    private let pacing: StreamID?
    private let decoders: [StreamID: TextTrackDecoder]
    private let images: StreamID?

    /// How long before its goal a reader lands, in milliseconds, one attempt after the other.
    private static let backScans: [Int64] = [2_000, 12_000, 60_000]
    /// Bytes of a packet of a bitmap stream.
    private static let packetLimit = 4 << 20
    /// Packets between two reports.
    private static let batch = 64

    package init(_ facts: TitleFacts, pacing: StreamID?, wanted: Wanted = .texts) {
        self.facts = facts
        self.pacing = pacing
        if case .packets(let id) = wanted {
            images = id
            decoders = [:]
            return
        }
        images = nil
        var decoders: [StreamID: TextTrackDecoder] = [:]
        for track in facts.textTracks {
            if let id = track.stream, let format = facts.format(id) { decoders[id] = TextTrackDecoder(format, facts) }
        }
        self.decoders = decoders
    }

    /// Reads until the sink wants nothing more.
    ///
    /// - Throws: the source's failures; `.sourceChanged` where it is not what was planned; `.malformedInput`.
    package func run(_ source: any ByteSource, hint: String, _ sink: some SubtitleSink) throws(NodeFailure) {
        if let known = facts.identity, let found = source.identity, known != found {
            throw NodeFailure(.sourceChanged, "the source is another one than was planned")
        }
        var reader = try open(source, hint)
        reader.select(streams.union(pacing.map { [$0] } ?? []))
        while let goal = sink.nextGoal() {
            try read(&reader, goal, sink)
        }
    }

    private var streams: Set<StreamID> { Set(decoders.keys).union(images.map { [$0] } ?? []) }

    private func open(_ source: any ByteSource, _ hint: String) throws(NodeFailure) -> FormatReader {
        var budget = ProbeBudget.playback
        budget.inspectsStreams = !(facts.formatName.hasPrefix("matroska") || facts.formatName.hasPrefix("mov"))
        let reader = try FormatReader(source: source, hint: hint, budget: budget)
        let isSame = streams.allSatisfy { id in
            reader.streams.contains { $0.id == id && $0.codec == facts.format(id)?.codec }
        }
        guard isSame else { throw NodeFailure(.sourceChanged, "the subtitle streams are not those that were planned") }
        return reader
    }

    private func read(_ reader: inout FormatReader, _ goal: Goal, _ sink: some SubtitleSink) throws(NodeFailure) {
        var first = try land(&reader, goal)
        let start = goal.from <= 0 ? Int64.min : goal.from
        var found: [Found] = []
        var frontier = start
        var count = 0
        var latest: Int64?
        while true {
            let next: Packet?
            if let landed = first { next = landed } else { next = try reader.readPacket() }
            guard let packet = next else { break }
            first = nil
            let time: Int64?
            if let decoder = decoders[packet.stream] {
                time = pacing == nil ? decoder.time(packet) : nil
                if let cue = decoder.cue(packet) {
                    found.append(Found(stream: packet.stream, item: .cue(cue), position: packet.filePosition ?? 0))
                }
            } else if packet.stream == images {
                // Pieces of a display without a time of their own belong to the one before.
                let stamp = self.time(packet, isShown: true) ?? latest
                time = pacing == nil ? stamp : nil
                latest = stamp
                if let stamp, packet.byteCount <= Self.packetLimit {
                    let stored = StoredPacket(
                        time: stamp, position: packet.filePosition ?? 0, bytes: packet.bytes,
                        duration: packet.durationTicks.rescaled(from: packet.timebase, to: .milliseconds))
                    found.append(Found(stream: packet.stream, item: .packet(stored), position: stored.position))
                }
            } else {
                time = self.time(packet)
            }
            if let time { frontier = max(frontier, time &- SubtitleReach.slack) }
            count += 1
            guard count % Self.batch == 0 || !found.isEmpty else { continue }
            let goesOn = sink.take(found, covered: start..<max(start, frontier))
            found.removeAll(keepingCapacity: true)
            if !goesOn { return }
        }
        _ = sink.take(found, covered: start..<Int64.max)
    }

    /// Moves to a goal; the first packet there, where one was read to see where that is.
    private func land(_ reader: inout FormatReader, _ goal: Goal) throws(NodeFailure) -> Packet? {
        if goal.from > 0, let lead = facts.lead, let clock = facts.clocks[lead] {
            for scan in Self.backScans where goal.from > scan {
                let output = (goal.from - scan).rescaled(from: .milliseconds, to: clock.timebase)
                try reader.seek(stream: lead, toTicks: clock.sourceTicks(of: output), .backward)
                guard let packet = try reader.readPacket() else { continue }
                let time = decoders[packet.stream]?.time(packet) ?? self.time(packet)
                if let time, time <= goal.from { return packet }
            }
        }
        try reader.rewind()
        return nil
    }

    /// Milliseconds of a packet: when it is decoded, as the file is ordered by, or when it is shown.
    private func time(_ packet: Packet, isShown: Bool = false) -> Int64? {
        let shown = packet.presentationTicks ?? packet.decodeTicks
        guard let format = facts.format(packet.stream),
            let ticks = isShown ? shown : packet.decodeTicks ?? packet.presentationTicks
        else { return nil }
        return facts.subtitleClock(format).output(ticks, position: packet.filePosition)
    }
}
