internal import CMediaShim
import Glibc
import SluiceCore

/// The part of a body that a response sends, as pieces of memory that the kernel takes in place.
final class VectoredBody {
    /// Pointers into `chunks` and `copies`.
    let pieces: [iovec]
    private let chunks: [ByteChunk]
    /// Bytes of chunks that may move, one allocation for all.
    private let copies: UnsafeMutableRawPointer?

    /// - Parameter range: within the bytes of `chunks`.
    /// - Returns: nil where memory is short.
    init?(_ chunks: [ByteChunk], _ range: Range<Int64>) {
        let parts = Self.parts(of: chunks, range)
        let moving = parts.reduce(0) { $0 + ($1.storage.isPinned ? 0 : $1.count) }
        let copies = moving > 0 ? malloc(moving) : nil
        if moving > 0, copies == nil { return nil }
        var used = 0
        self.chunks = parts
        self.copies = copies
        self.pieces = parts.map { part in
            part.withUnsafeBytes { bytes in
                guard !part.storage.isPinned, let copies, let source = bytes.baseAddress else {
                    return iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
                }
                let base = copies + used
                memcpy(base, source, bytes.count)
                used += bytes.count
                return iovec(iov_base: base, iov_len: bytes.count)
            }
        }
    }

    deinit { free(copies) }

    private static func parts(of chunks: [ByteChunk], _ range: Range<Int64>) -> [ByteChunk] {
        var offset: Int64 = 0
        return chunks.compactMap { chunk in
            defer { offset += Int64(chunk.count) }
            let kept = range.clamped(to: offset..<offset + Int64(chunk.count))
            guard !kept.isEmpty else { return nil }
            let first = chunk.range.lowerBound + Int(kept.lowerBound - offset)
            return ByteChunk(chunk.storage, first..<first + kept.count)
        }
    }
}
