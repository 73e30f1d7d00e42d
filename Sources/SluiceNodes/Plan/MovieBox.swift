import SluiceBitstream
import SluiceCore

/// Finds and reads the movie box of an MP4 or MOV file. Blocks.
enum MovieBox {
    /// A movie box of this size describes more than a day of everything.
    static let byteLimit: Int64 = 256 << 20
    static let boxLimit = 4_096

    /// The payload of `moov`; nil where there is none among the first boxes, or it is too large.
    static func read(_ source: any ByteSource) throws(NodeFailure) -> [UInt8]? {
        var offset: Int64 = 0
        for _ in 0..<boxLimit {
            let head = try bytes(source, at: offset, count: 16)
            guard head.count >= 8 else { return nil }
            let number = { (range: Range<Int>) in head[range].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
            let type = FourCC(rawValue: UInt32(truncatingIfNeeded: number(4..<8)))
            var size = number(0..<4)
            var header: Int64 = 8
            if size == 1 {
                guard head.count == 16, head[8] < 0x40 else { return nil }
                size = number(8..<16)
                header = 16
            } else if size == 0 {
                size = (source.size ?? offset) &- offset
            }
            guard size >= header else { return nil }
            if type == "moov" {
                guard size <= byteLimit else { return nil }
                let payload = try bytes(source, at: offset + header, count: Int(size - header))
                return payload.count == Int(size - header) ? payload : nil
            }
            let (next, overflow) = offset.addingReportingOverflow(size)
            guard !overflow, source.size.map({ next < $0 }) ?? true else { return nil }
            offset = next
        }
        return nil
    }

    /// Up to `count` bytes; fewer at the end of the source.
    static func bytes(_ source: any ByteSource, at offset: Int64, count: Int) throws(NodeFailure) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: max(0, count))
        var filled = 0
        while filled < buffer.count {
            let read = try fill(&buffer, from: filled, source, offset &+ Int64(filled))
            guard read > 0 else { break }
            filled += read
        }
        if filled < buffer.count { buffer.removeLast(buffer.count - filled) }
        return buffer
    }

    private static func fill(
        _ buffer: inout [UInt8], from: Int, _ source: any ByteSource, _ offset: Int64
    ) throws(NodeFailure) -> Int {
        let result: Result<Int, NodeFailure> = buffer.withUnsafeMutableBytes { bytes in
            do throws(NodeFailure) {
                return .success(
                    try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[from...]), at: offset))
            } catch { return .failure(error) }
        }
        return try result.get()
    }
}

extension MovieBox {
    /// Whether a movie box has a child of `type`.
    static func holds(_ type: FourCC, in movie: [UInt8]) -> Bool {
        movie.withUnsafeBytes { BoxReader.first(type, in: $0) != nil }
    }
}
