public import SluiceCore

/// A payload without media: a number that costs as much and lies where a test says.
public struct Token: MediaPayload, Hashable, CustomStringConvertible {
    public static var kind: PayloadKind { .packet }
    public var value: Int
    /// Bytes that channels count for it; it holds none.
    public var byteCost: Int
    /// Nanoseconds; nil for a payload without time.
    public var timelinePosition: Int64?

    public init(_ value: Int, cost: Int = 100, at position: Duration? = nil) {
        self.value = value
        byteCost = cost
        timelinePosition = position?.nanoseconds
    }

    public var description: String { "\(value)" }
}

extension Item where Payload == Token {
    /// A token as an item of a link.
    public static func token(_ value: Int, cost: Int = 100, at position: Duration? = nil) -> Self {
        .payload(Token(value, cost: cost, at: position))
    }
}

extension Item {
    /// The normal end of a stream.
    public static var end: Self { .event(.endOfStream(.sourceEnded)) }

    public var payload: Payload? { if case .payload(let payload) = self { payload } else { nil } }
    public var event: StreamEvent? { if case .event(let event) = self { event } else { nil } }
}

extension Sequence {
    /// The payloads among items, in order.
    public func payloads<Payload>() -> [Payload] where Element == Item<Payload> { compactMap(\.payload) }
    /// The events among items, in order.
    public func events<Payload>() -> [StreamEvent] where Element == Item<Payload> { compactMap(\.event) }
}
