/// A first-in first-out queue in one block of memory that grows by doubling and is never shrunk while in use.
///
/// Unlike an array used as a queue it moves nothing when its front is taken.
@frozen
public struct RingBuffer<Element> {
    @usableFromInline var slots: [Element?]
    @usableFromInline var head = 0
    @usableFromInline var used = 0

    @inlinable
    public init(minimumCapacity: Int = 16) {
        var capacity = 16
        while capacity < minimumCapacity { capacity *= 2 }
        slots = Array(repeating: nil, count: capacity)
    }

    @inlinable public var count: Int { used }
    @inlinable public var isEmpty: Bool { used == 0 }
    @inlinable public var first: Element? { used == 0 ? nil : slots[head] }

    @inlinable
    public mutating func append(_ element: consuming Element) {
        if used == slots.count { grow() }
        slots[(head + used) & (slots.count - 1)] = element
        used += 1
    }

    @inlinable
    public mutating func popFirst() -> Element? {
        guard used > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        used -= 1
        return element
    }

    /// Takes the first element that `matches` out of the queue; the rest keep their order. Linear.
    public mutating func removeFirst(where matches: (Element) -> Bool) -> Element? {
        let mask = slots.count - 1
        for offset in 0..<used {
            guard let element = slots[(head + offset) & mask], matches(element) else { continue }
            for later in (offset + 1)..<max(used, offset + 1) {
                slots[(head + later - 1) & mask] = slots[(head + later) & mask].take()
            }
            if offset == used - 1 { slots[(head + offset) & mask] = nil }
            used -= 1
            return element
        }
        return nil
    }

    public mutating func removeAll() {
        for offset in 0..<used { slots[(head + offset) & (slots.count - 1)] = nil }
        head = 0
        used = 0
    }

    @usableFromInline
    mutating func grow() {
        var larger: [Element?] = Array(repeating: nil, count: slots.count * 2)
        for offset in 0..<used { larger[offset] = slots[(head + offset) & (slots.count - 1)].take() }
        slots = larger
        head = 0
    }
}

extension RingBuffer: Sendable where Element: Sendable {}
