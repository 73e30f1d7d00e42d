public import SluiceCore

/// A named end of a node: which way it points, what flows through it, and whether a graph may leave it unlinked.
public struct PortDescriptor: Sendable, Hashable {
    public enum Direction: String, Sendable, Hashable { case input, output }

    public let name: String
    public let direction: Direction
    public let payload: PayloadKind
    public let required: Bool

    public static func input(_ name: String, _ payload: PayloadKind, required: Bool = true) -> Self {
        PortDescriptor(name: name, direction: .input, payload: payload, required: required)
    }

    public static func output(_ name: String, _ payload: PayloadKind, required: Bool = true) -> Self {
        PortDescriptor(name: name, direction: .output, payload: payload, required: required)
    }
}
