import SluiceAV
import SluiceCore

/// Places the packets of one stream on the title's timeline. Pure but for the offset of the last packet, which stands in
/// for one that does not know its own.
struct PlacementRule {
    enum Verdict: Equatable {
        case place(presentation: Int64, duration: Int64)
        /// Lies before what the title serves.
        case drop
        /// Has no time that could be trusted.
        case unplaced
    }

    let clock: TrackClock
    /// Output time before which nothing is served.
    let floor: Int64
    /// Exact length of a sample on the output, where it is known.
    let length: Int64?
    /// Whether pictures are presented in another order than they are decoded.
    let reorders: Bool
    private let stamps: PictureStamps
    private var position: Int64?
    /// Pictures that were counted.
    private var count: Int64 = 0

    init(_ facts: TitleFacts, _ stream: StreamID, clock: TrackClock) {
        self.clock = clock
        floor = facts.floor(stream)
        stamps = stream == facts.video ? facts.pictureStamps : .container
        reorders = stream == facts.video && facts.reorderDepth > 0
        if stream == facts.video {
            length = facts.framePeriod.map { max(1, Int64(1).rescaled(from: $0, to: clock.timebase)) }
        } else {
            length = clock.grid?.period
        }
    }

    /// - Parameter position: byte offset of the packet.
    mutating func verdict(
        presentation: Int64?, decode: Int64?, duration: Int64, position: Int64?
    ) -> Verdict {
        if let position { self.position = position }
        guard let stamp = stamp(presentation, decode) else { return .unplaced }
        let time = clock.output(stamp, position: self.position)
        guard time >= floor else { return .drop }
        return .place(
            presentation: time, duration: length ?? duration.rescaled(from: clock.source, to: clock.timebase))
    }

    private mutating func stamp(_ presentation: Int64?, _ decode: Int64?) -> Int64? {
        switch stamps {
        // A stream without reordering presents what it decodes when it decodes it.
        case .container: return presentation ?? (reorders ? nil : decode)
        case .coded: return presentation
        case .decode(let shift): return decode.map { $0 &+ shift }
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
