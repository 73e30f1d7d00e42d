/// Memory that can be read in place: a packet's buffer, an array.
public protocol ByteStorage: Sendable {
    var byteCount: Int { get }
    /// Whether the bytes stay at their address while the value lives, so that a pointer to them may outlive the call.
    var isPinned: Bool { get }
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
}

extension ByteStorage {
    public var isPinned: Bool { false }
}

extension Array: ByteStorage where Element == UInt8 {
    public var byteCount: Int { count }
}

/// A range of somebody's memory. Fragments are lists of these, so that media payloads are never copied.
public struct ByteChunk: Sendable {
    public let storage: any ByteStorage
    /// Offsets within `storage`, clamped to it at creation.
    public let range: Range<Int>

    public init(_ storage: any ByteStorage) { self.init(storage, 0..<storage.byteCount) }

    public init(_ storage: any ByteStorage, _ range: Range<Int>) {
        self.storage = storage
        self.range = range.clamped(to: 0..<storage.byteCount)
    }

    public var count: Int { range.count }

    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}

extension [ByteChunk] {
    public var byteTotal: Int {
        var total = 0
        // By index: an iterator would count a reference to every chunk's memory up and down.
        for index in indices { total += self[index].range.count }
        return total
    }

    /// One contiguous copy, for tests and small objects.
    public func joined() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteTotal)
        for chunk in self { chunk.withUnsafeBytes { bytes.append(contentsOf: $0) } }
        return bytes
    }
}
