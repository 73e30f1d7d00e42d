import SluiceAV
import SluiceBitstream
import SluiceCore

/// Places the packets of one stream on the title's timeline. Pure but for the offset of the last packet, which stands in
/// for one that does not know its own, and for the block whose frames are being handed out.
struct PlacementRule {
    enum Verdict: Equatable {
        case place(presentation: Int64, duration: Int64)
        /// Lies before what the title serves.
        case drop
        /// Has no time that could be trusted.
        case unplaced
    }

    /// Nanoseconds that presentation may lie from decoding. Sixteen reordered pictures at a picture in three seconds come
    /// to less; a flipped bit in a composition offset comes to hours, and one such stamp would stretch its segment.
    static let reach: Int64 = 60_000_000_000

    let clock: TrackClock
    /// Output time before which nothing is served.
    let floor: Int64
    /// Exact length of a sample on the output, where it is known.
    let length: Int64?
    /// Whether pictures are presented in another order than they are decoded.
    let reorders: Bool
    private let stamps: PictureStamps
    private var position: Int64?
    private var laces: LaceRule?
    private var walk: LadderWalk?
    /// Pictures that were counted.
    private var count: Int64 = 0

    init(_ facts: TitleFacts, _ stream: StreamID, clock: TrackClock) {
        self.clock = clock
        floor = facts.floor(stream)
        stamps = stream == facts.video ? facts.pictureStamps : .container
        reorders = stream == facts.video && facts.reorderDepth > 0
        if case .ladder(let ladder) = stamps { walk = LadderWalk(ladder, clock.source) }
        laces = facts.format(stream).flatMap { LaceRule($0, facts.formatName) }
        if stream == facts.video {
            length = facts.framePeriod.map { max(1, Int64(1).rescaled(from: $0, to: clock.timebase)) }
        } else {
            length = clock.grid?.period
        }
    }

    /// - Parameters:
    ///   - position: byte offset of the packet.
    ///   - order: of a picture, where it stands on a ladder.
    mutating func verdict(
        presentation: Int64?, decode: Int64?, duration: Int64, position: Int64?, order: PictureOrder? = nil
    ) -> Verdict {
        if let position { self.position = position }
        if Self.isWild(presentation: presentation, decode: decode, clock.source) { return .unplaced }
        let own = stamp(presentation, decode, order)
        guard let stamp = laces?.stamp(own, position: position) ?? own else { return .unplaced }
        let time = clock.output(stamp, position: self.position)
        guard time >= floor else { return .drop }
        return .place(
            presentation: time, duration: length ?? duration.rescaled(from: clock.source, to: clock.timebase))
    }

    /// Whether the two stamps of a packet lie so far apart that neither can be believed.
    static func isWild(presentation: Int64?, decode: Int64?, _ timebase: Timebase) -> Bool {
        guard let presentation, let decode else { return false }
        let (distance, overflow) = presentation.subtractingReportingOverflow(decode)
        if overflow { return true }
        return distance != 0 && distance.rescaled(from: timebase, to: .nanoseconds).magnitude > reach.magnitude
    }

    private mutating func stamp(_ presentation: Int64?, _ decode: Int64?, _ order: PictureOrder?) -> Int64? {
        switch stamps {
        // A stream without reordering presents what it decodes when it decodes it.
        case .container: return presentation ?? (reorders ? nil : decode)
        case .coded: return presentation
        case .decode(let stretches):
            return PictureStamps.place(stretches, presentation: presentation, decode: decode)
        case .ladder: return walk?.place(presentation ?? decode, order)
        case .counted(let period):
            defer { count &+= 1 }
            return count.rescaled(from: period, to: clock.source)
        }
    }
}

extension Packet {
    /// The file ends within the sample: movie files say how long it is. What is there of a picture cannot be decoded.
    func isCutOff(_ formatName: String) -> Bool { isCorrupt && formatName.hasPrefix("mov") }
}
