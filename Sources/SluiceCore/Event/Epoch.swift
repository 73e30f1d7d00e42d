/// Flush generation of a graph. A seek starts a new one; items of an older one are stale.
public struct Epoch: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let number: UInt64
    public init(_ number: UInt64) { self.number = number }
    public static let first = Epoch(0)
    public var next: Epoch { Epoch(number + 1) }
    public static func < (left: Epoch, right: Epoch) -> Bool { left.number < right.number }
    public var description: String { "E\(number)" }
}
