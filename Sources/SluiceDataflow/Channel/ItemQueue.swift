/// A first-in first-out queue that moves its elements: what goes in is not retained, what comes out is not copied.
///
/// It grows by doubling and is never shrunk, so a queue in steady use allocates nothing.
public struct ItemQueue<Element>: ~Copyable {
    @usableFromInline var slots: UnsafeMutablePointer<Element>
    /// Capacity less one; the capacity is a power of two.
    @usableFromInline var mask: Int
    @usableFromInline var head = 0
    @usableFromInline var used = 0

    @inlinable
    public init(minimumCapacity: Int = 16) {
        var capacity = 16
        while capacity < minimumCapacity { capacity *= 2 }
        slots = .allocate(capacity: capacity)
        mask = capacity - 1
    }

    deinit {
        for offset in 0..<used { (slots + ((head + offset) & mask)).deinitialize(count: 1) }
        slots.deallocate()
    }

    @inlinable public var count: Int { used }
    @inlinable public var isEmpty: Bool { used == 0 }

    /// The element at `offset` from the front, which is below ``count``.
    @inlinable
    public subscript(offset: Int) -> Element {
        precondition(offset >= 0 && offset < used)
        return slots[(head &+ offset) & mask]
    }

    @inlinable
    public mutating func append(_ element: consuming Element) {
        if used > mask { grow() }
        (slots + ((head &+ used) & mask)).initialize(to: element)
        used &+= 1
    }

    @inlinable
    public mutating func popFirst() -> Element? {
        if used == 0 { return nil }
        return removeFirst()
    }

    /// Takes the front of a queue that is not empty.
    @inlinable
    public mutating func removeFirst() -> Element {
        precondition(used > 0)
        let element = (slots + head).move()
        head = (head &+ 1) & mask
        used &-= 1
        return element
    }

    /// Takes the first element that `matches` out of the queue; the rest keep their order. Linear.
    public mutating func removeFirst(where matches: (Element) -> Bool) -> Element? {
        for offset in 0..<used where matches(slots[(head + offset) & mask]) {
            let element = (slots + ((head + offset) & mask)).move()
            for later in (offset + 1)..<max(used, offset + 1) {
                (slots + ((head + later - 1) & mask)).moveInitialize(from: slots + ((head + later) & mask), count: 1)
            }
            used -= 1
            return element
        }
        return nil
    }

    @inlinable
    public mutating func removeAll() {
        for offset in 0..<used { (slots + ((head &+ offset) & mask)).deinitialize(count: 1) }
        head = 0
        used = 0
    }

    @usableFromInline
    mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: (mask + 1) * 2)
        for offset in 0..<used {
            (larger + offset).moveInitialize(from: slots + ((head + offset) & mask), count: 1)
        }
        slots.deallocate()
        slots = larger
        mask = mask * 2 + 1
        head = 0
    }
}
