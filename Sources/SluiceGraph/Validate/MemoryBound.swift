public import SluiceCore
public import SluiceDataflow

/// The most that a graph can hold at once: what its links may queue and what its nodes declare to keep.
///
/// A channel takes a payload only if the payload fits its byte bound or the channel is empty. It therefore never holds
/// more than the greater of its bound and one largest item, and that is what a link counts for. The item that a node
/// has in its hands belongs to the node's working set. A `bytes` link is a window that the consumer pulls from, not a
/// queue: its memory is the source's working set.
public struct MemoryBound: Sendable, Hashable {
    /// In bytes.
    public private(set) var links = 0
    /// In bytes.
    public private(set) var workingSets = 0

    public init() {}

    /// In bytes; saturates.
    public var total: Int { Self.sum(links, workingSets) }

    public mutating func add(link limits: ChannelLimits, payload: PayloadKind) {
        guard payload != .bytes else { return }
        links = Self.sum(links, max(limits.bytes, Self.largestItem(payload)))
    }

    public mutating func add(workingSet bytes: Int) { workingSets = Self.sum(workingSets, max(0, bytes)) }

    /// Bytes of the largest payload that nodes let through; larger ones fail with `limitExceeded`.
    ///
    /// A packet of 16 MiB is a 4 s segment at 32 Mbit/s in one picture. 32 MiB hold a 4096x2304 frame of 4:2:0 in 16-bit
    /// samples, and 8 MiB a 1920x1080 subtitle picture in RGBA.
    public static func largestItem(_ payload: PayloadKind) -> Int {
        switch payload {
        case .bytes: 0
        case .packet: 16 << 20
        case .frame, .fragment: 32 << 20
        case .bitmap: 8 << 20
        case .cue: 64 << 10
        }
    }

    private static func sum(_ a: Int, _ b: Int) -> Int {
        let (result, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : result
    }
}
