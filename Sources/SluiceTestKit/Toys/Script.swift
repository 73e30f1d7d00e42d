public import SluiceCore
public import SluiceDataflow

/// What a ``ScriptedSource`` sends, item by item.
public struct Script: Sendable {
    /// Items before the end.
    public var length: Int
    /// The item at a position below ``length``.
    public var item: @Sendable (Int) -> Item<Token>
    /// The item at which a seek continues; nil refuses the seek.
    public var position: @Sendable (SeekTarget) -> Int?
    /// Sent first in every epoch.
    public var sticky: [StreamEvent] = []
    public var end = EndReason.sourceEnded
    /// Items come only while it is open.
    public var gate: Gate?

    /// Tokens 0, 1, 2, … `step` apart on the timeline. A seek to a time continues at the first token at or after it,
    /// a seek to segment k at token k.
    public static func tokens(_ count: Int, step: Duration = .milliseconds(10), cost: Int = 100) -> Script {
        let nanoseconds = max(1, step.nanoseconds)
        return Script(
            length: count,
            item: { .payload(Token($0, cost: cost, at: .nanoseconds(Int64($0) &* nanoseconds))) },
            position: { target in
                let index: Int
                switch target {
                case .time(let time): index = Int((time.nanoseconds &+ nanoseconds - 1) / nanoseconds)
                case .segment(let number): index = number
                }
                return index >= 0 && index < count ? index : nil
            })
    }

    /// These items; a seek to a time continues at the first payload at or after it, a seek to segment k at item k.
    public static func items(_ items: [Item<Token>]) -> Script {
        Script(
            length: items.count, item: { items[$0] },
            position: { target in
                switch target {
                case .time(let time):
                    items.firstIndex { ($0.payload?.timelinePosition).map { $0 >= time.nanoseconds } ?? false }
                case .segment(let number): items.indices.contains(number) ? number : nil
                }
            })
    }

    public func gated(by gate: Gate) -> Script {
        var copy = self
        copy.gate = gate
        return copy
    }
}

/// Scripts by the name of the node that sends them; a resource.
public struct Scripts: Sendable {
    public var byNode: [String: Script]
    public init(_ byNode: [String: Script]) { self.byNode = byNode }
}
