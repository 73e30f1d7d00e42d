/// How much of a remote source is held in memory around the reader.
///
/// - Note: behaviours RD-02, RD-03.
public struct WindowLimits: Sendable, Hashable {
    /// Bytes ahead of the reader at which receiving stops: 16 MiB.
    public var highWater = 16 << 20
    /// Bytes ahead at which it goes on: 8 MiB.
    public var lowWater = 8 << 20
    /// Bytes kept behind the reader, for parsers that step back: 2 MiB.
    public var lookBack = 2 << 20
    /// A step forward of at most this is waited for instead of asked for anew: 8 MiB.
    public var keepAhead = 8 << 20

    public init() {}
}

/// A contiguous run of a remote source's bytes around the position of its reader.
///
/// Pure bookkeeping: who fills it and who waits for it is `HTTPSource`. Holds at most look-back + high water + one
/// delivery + one block.
struct ByteWindow: Sendable {
    let limits: WindowLimits
    /// Offset of the next byte the reader asked for or will ask for.
    private(set) var position: Int64
    /// Offset behind the last byte held; where the next delivery belongs.
    private(set) var end: Int64
    /// Offset of the first byte that may be read.
    private(set) var start: Int64
    private(set) var peakBytes = 0

    /// Every block but the last is full, so that an offset finds its block by division.
    private var blocks: [[UInt8]] = []
    private var blockStart: Int64

    private static let blockSize = 256 << 10

    init(at offset: Int64 = 0, limits: WindowLimits = WindowLimits()) {
        self.limits = limits
        position = offset
        start = offset
        end = offset
        blockStart = offset
    }

    /// Bytes held that the reader has not passed.
    var ahead: Int { Int(max(0, end - max(position, start))) }
    var count: Int { Int(end - start) }
    var isFull: Bool { ahead >= limits.highWater }
    var wantsMore: Bool { ahead <= limits.lowWater }

    func contains(_ offset: Int64) -> Bool { offset >= start && offset < end }

    /// Whether waiting for `offset` is cheaper than asking for it.
    func isNear(_ offset: Int64) -> Bool { offset >= end && offset - end <= Int64(limits.keepAhead) }

    /// Forgets everything and begins again at `offset`.
    mutating func reset(at offset: Int64) {
        blocks.removeAll()
        position = offset
        start = offset
        end = offset
        blockStart = offset
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if blocks.last.map({ $0.count == Self.blockSize }) ?? true {
                var block: [UInt8] = []
                block.reserveCapacity(Self.blockSize)
                blocks.append(block)
            }
            let last = blocks.count - 1
            let piece = rest.prefix(Self.blockSize - blocks[last].count)
            blocks[last].append(contentsOf: piece)
            rest = rest.dropFirst(piece.count)
        }
        end += Int64(bytes.count)
        trim()
        peakBytes = max(peakBytes, count)
    }

    /// Copies what is held from `offset` on and moves the reader behind it; 0 when nothing is held there.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        guard contains(offset) else { return 0 }
        let total = Int(min(Int64(buffer.count), end - offset))
        var done = 0
        while done < total {
            let place = Int(offset - blockStart) + done
            let index = place / Self.blockSize
            let inner = place % Self.blockSize
            let piece = min(total - done, blocks[index].count - inner)
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + piece)])
            target.copyBytes(from: blocks[index][inner..<(inner + piece)])
            done += piece
        }
        move(to: offset + Int64(total))
        return total
    }

    /// The reader stands at `offset` now, which may lie ahead of everything held.
    mutating func move(to offset: Int64) {
        position = offset
        trim()
    }

    private mutating func trim() {
        let keep = min(max(start, position - Int64(limits.lookBack)), end)
        guard keep > start else { return }
        start = keep
        let gone = min(Int(start - blockStart) / Self.blockSize, blocks.count)
        guard gone > 0 else { return }
        blocks.removeFirst(gone)
        blockStart += Int64(gone * Self.blockSize)
        if blocks.isEmpty { blockStart = end }
        if blocks.isEmpty { start = end }
    }
}
