import SluiceAV
import SluiceBitstream
import SluiceCore

/// Puts the packets of a title on its output timeline, in reading order. No ports, no tasks.
///
/// All it decides comes from the facts, from the packet itself and, for pictures, from the random access point before it,
/// so that a producer that starts anywhere gives the same packets as a straight run.
struct PacketRepair {
    enum Outcome {
        case place(Packet)
        /// Not served.
        case drop
        /// Has no time that could be trusted.
        case unplaced
    }

    /// What was mended, by family.
    struct Counts: Equatable {
        /// Pictures whose times come from their own order, and not from the container alone.
        var restamped = 0
        /// Marks of random access points that were wrong.
        var remarked = 0
        /// Packets that became part of the picture before them.
        var joined = 0
        /// Pictures that the file's end cuts off.
        var cutOff = 0
        var unplaced = 0
    }

    private let facts: TitleFacts
    // What every packet asks, taken out of the facts once: a copy of those is dear.
    private let video: StreamID?
    private let isRestamped: Bool
    private let ignoresKeyFlags: Bool
    private let joinsPackets: Bool
    private let hasLadder: Bool
    /// By stream index: the clock that packets are counted in afterwards.
    private let timebases: [Timebase?]
    private let isPieced: Bool
    /// Number of the piece of the source that is read; nil before the first packet.
    private var piece: Int?
    /// By stream index: output times that its samples may have.
    private var bounds: [Range<Int64>] = []
    private(set) var counts = Counts()
    /// By stream index; nil for streams that are not served.
    private var rules: [PlacementRule?]
    /// Looks at pictures where the container's marks or times are wrong, or packets are parts of pictures.
    private var inspector: PictureInspector?
    /// Where the last picture was placed; nil where it was dropped.
    private var lastPicture: Int64?

    init(_ facts: TitleFacts) {
        self.facts = facts
        video = facts.video
        isRestamped = facts.pictureStamps != .container
        (ignoresKeyFlags, joinsPackets, hasLadder) = (facts.ignoresKeyFlags, facts.joinsPackets, facts.hasLadder)
        isPieced = facts.pieces.count > 1
        timebases = facts.streams.map { facts.clocks[$0.id]?.timebase }
        rules = Self.rules(facts)
        if facts.ignoresKeyFlags || facts.joinsPackets || facts.hasLadder, let video = facts.video,
            let format = facts.format(video)
        {
            inspector = PictureInspector(format, framing: facts.framings[video])
        }
    }

    /// Forgets what was read; the counts stay.
    mutating func restart() {
        rules = Self.rules(facts)
        lastPicture = nil
        piece = nil
        bounds = []
        inspector?.restart()
    }

    mutating func repair(_ packet: consuming Packet) -> Outcome {
        let index = packet.stream.index
        if isPieced, let position = packet.filePosition {
            enter(SourcePiece.index(facts.pieces, at: position))
            if packet.stream == video, position < facts.pieces[piece ?? 0].opening {
                // Nothing leads to it.
                lastPicture = nil
                return .drop
            }
        }
        guard packet.stream == video else {
            // Apart, so that the packet is handed over and not copied.
            let found = verdict(packet, order: nil)
            return place(packet, found, isPicture: false)
        }
        if packet.isCutOff(facts.formatName) {
            counts.cutOff += 1
            return .drop
        }
        var order: PictureOrder?
        if hasLadder {
            order = packet.withUnsafeBytes { inspector?.place($0).order }
        } else if joinsPackets, !isWild(packet),
            packet.withUnsafeBytes({ inspector?.place($0).continues ?? false })
        {
            counts.joined += 1
            return join(packet)
        }
        lastPicture = nil
        guard rules.indices.contains(index) else { return .drop }
        let found = verdict(packet, order: order)
        return place(packet, found, isPicture: true)
    }

    // MARK: - Private

    private mutating func verdict(_ packet: borrowing Packet, order: PictureOrder?) -> PlacementRule.Verdict? {
        let index = packet.stream.index
        guard rules.indices.contains(index) else { return nil }
        return rules[index]?.verdict(
            presentation: packet.presentationTicks, decode: packet.decodeTicks, duration: packet.durationTicks,
            position: packet.filePosition, order: order)
    }

    private mutating func place(
        _ packet: consuming Packet, _ verdict: PlacementRule.Verdict?, isPicture: Bool
    ) -> Outcome {
        guard let verdict else { return .drop }
        guard case .place(let presentation, let duration) = verdict, let timebase = timebases[packet.stream.index]
        else {
            guard verdict == .unplaced else { return .drop }
            counts.unplaced += 1
            return .unplaced
        }
        if isPieced, bounds.indices.contains(packet.stream.index),
            !bounds[packet.stream.index].contains(presentation)
        {
            return .drop
        }
        packet.setTimes(presentation: presentation, decode: nil, duration: duration, in: timebase)
        guard isPicture else { return .place(packet) }
        lastPicture = presentation
        if isRestamped { counts.restamped += 1 }
        if ignoresKeyFlags {
            let isFlagged = packet.isKeyframe
            let kind = packet.withUnsafeBytes { inspector?.look($0, isFlagged: isFlagged) }
            let isPoint = kind?.isRandomAccessPoint ?? isFlagged
            if isPoint != isFlagged { counts.remarked += 1 }
            packet.setKeyframe(isPoint)
        }
        return .place(packet)
    }

    /// Other streams take over: what is known of them is another matter.
    private mutating func enter(_ number: Int) {
        guard piece != number else { return }
        piece = number
        let held = facts.within(piece: number)
        rules = Self.rules(held)
        bounds = facts.streams.map { facts.bounds(of: $0.id, in: number) }
        lastPicture = nil
        guard inspector != nil, let video, let format = held.format(video) else { return }
        inspector = PictureInspector(format, framing: held.framings[video])
    }

    private func isWild(_ packet: borrowing Packet) -> Bool {
        PlacementRule.isWild(
            presentation: packet.presentationTicks, decode: packet.decodeTicks, packet.timebase)
    }

    /// The rest of a picture goes where the picture went.
    private func join(_ packet: consuming Packet) -> Outcome {
        guard let lastPicture, let clock = facts.clocks[packet.stream] else { return .drop }
        // A frame that is shown says when; the second field of a frame is shown with it.
        let own = inspector?.codec == .vp9 ? packet.presentationTicks.map { clock.output($0) } : nil
        packet.setTimes(presentation: own ?? lastPicture, decode: nil, duration: 0, in: clock.timebase)
        packet.setKeyframe(false)
        packet.setContinuesPicture(true)
        return .place(packet)
    }

    private static func rules(_ facts: TitleFacts) -> [PlacementRule?] {
        facts.streams.map { format in
            facts.clocks[format.id].map { PlacementRule(facts, format.id, clock: $0) }
        }
    }
}

extension PacketRepair.Counts {
    /// By the names that metrics have, without those of which there are none.
    var named: [(String, Int)] {
        [
            ("restamped", restamped), ("remarked", remarked), ("joined", joined), ("cut-off", cutOff),
            ("unplaced", unplaced),
        ].filter { $0.1 > 0 }
    }
}
