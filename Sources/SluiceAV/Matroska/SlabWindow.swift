import SluiceCore

/// A part of a source in memory that moves forward over it, in slabs that packets may keep.
///
/// Memory is that of one slab, and of slabs that packets have a part of.
struct SlabWindow {
    private let source: any ByteSource
    private let size: Int64
    private var slab: Slab
    /// Offset in the source of the slab's first byte.
    private(set) var base: Int64
    private var filled = 0
    /// Bytes of the next slab, growing: who jumps wants little at first.
    private var step = SlabWindow.smallest

    static let smallest = 64 << 10

    /// - Parameter size: bytes of the source.
    init(_ source: any ByteSource, size: Int64, at position: Int64) {
        self.source = source
        self.size = size
        slab = Slab(capacity: Self.smallest)
        base = position
    }

    /// What is there.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: slab.base, count: filled) }

    /// The memory of a part of the source that is there, and where in it that part lies.
    func part(_ range: Range<Int64>) -> (slab: Slab, range: Range<Int>)? {
        let (lower, upper) = (range.lowerBound - base, range.upperBound - base)
        guard lower >= 0, upper <= Int64(filled) else { return nil }
        return (slab, Int(lower)..<Int(upper))
    }

    /// Reads until `count` bytes from `position` on are there, and what else fits.
    ///
    /// - Throws: the source's failure; `.sourceChanged` where it ends before its size.
    mutating func require(_ count: Int, from position: Int64) throws(NodeFailure) {
        precondition(count >= 0 && position >= 0 && count <= size - position, "a window beyond its source")
        let kept = max(0, base + Int64(filled) - position)
        if position < base || Int64(count) > base + Int64(slab.capacity) - position {
            move(to: position, count, keeping: position < base ? 0 : Int(kept))
        }
        while base + Int64(filled) < position + Int64(count) {
            let offset = base + Int64(filled)
            let room = Int(min(Int64(slab.capacity - filled), size - offset))
            let read = try source.read(
                into: UnsafeMutableRawBufferPointer(start: slab.base + filled, count: room), at: offset)
            guard read > 0 else {
                throw NodeFailure(.sourceChanged, "source ended at byte \(offset); expected \(size) bytes")
            }
            guard read <= room else {
                throw NodeFailure(.internalInvariant, "source delivered \(read) bytes into \(room)")
            }
            filled += read
        }
    }

    /// Goes on at `position` with room for `count` bytes, and takes along what of them is there.
    private mutating func move(to position: Int64, _ count: Int, keeping kept: Int) {
        let start = Int(clamping: position - base)
        step = min(Slab.usual, step * 2)
        if count <= slab.capacity, slab.capacity >= step, isKnownUniquelyReferenced(&slab) {
            if kept > 0 { slab.base.copyMemory(from: slab.base + start, byteCount: kept) }
        } else {
            let next = Slab(capacity: max(step, count))
            if kept > 0 { next.base.copyMemory(from: slab.base + start, byteCount: kept) }
            slab = next
        }
        base = position
        filled = kept
    }
}
