import SluiceCore

/// The part of a body that a response sends, read piece by piece without joining it.
final class PulledBody: Sendable {
    private let chunks: [ByteChunk]
    /// Offset in the body at which each chunk ends.
    private let ends: [Int64]
    private let start: Int64

    init(_ chunks: [ByteChunk], from start: Int64) {
        var total: Int64 = 0
        self.chunks = chunks
        self.ends = chunks.map { chunk in
            total += Int64(chunk.count)
            return total
        }
        self.start = start
    }

    /// Copies what follows `position` of the part into `buffer`; -1 behind the end.
    func read(at position: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var offset = start &+ Int64(clamping: position)
        var index = firstChunk(endingAfter: offset)
        var written = 0
        while index < chunks.count, written < buffer.count {
            let chunk = chunks[index]
            let skip = chunk.count - Int(ends[index] - offset)
            let count = min(chunk.count - skip, buffer.count - written)
            chunk.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[written..<written + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[skip..<skip + count]))
            }
            written += count
            offset += Int64(count)
            index += 1
        }
        return written > 0 ? written : -1
    }

    private func firstChunk(endingAfter offset: Int64) -> Int {
        var low = 0
        var high = ends.count
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
