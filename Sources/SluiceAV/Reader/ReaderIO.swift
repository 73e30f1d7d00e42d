internal import CFFmpeg
internal import CMediaShim
import Glibc
import SluiceCore

/// libavformat's view of a ``ByteSource``: position, end and failures.
///
/// A failure of the source is kept here, because the library reports less about it, and sometimes reports success.
final class ReaderIO {
    static let bufferSize = 65_536
    /// What is left of it where large reads go past it.
    private static let directSize = 8_192
    private static let headSize = 256

    let source: any ByteSource
    private(set) var raw: UnsafeMutablePointer<AVIOContext>?
    private(set) var offset: Int64 = 0
    /// Where the furthest read so far ended.
    private(set) var furthest: Int64 = 0
    /// The first failure since the last ``clear()``; reads fail at once while it stands.
    private(set) var failure: NodeFailure?
    /// The first bytes of the source, for sniffing what the library has no demuxer for.
    private(set) var head: [UInt8] = []

    init(_ source: any ByteSource) throws(NodeFailure) {
        self.source = source
        guard let buffer = av_malloc(Self.bufferSize) else { LibraryError.outOfMemory() }
        raw = shim_io_alloc(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0,
            Unmanaged.passUnretained(self).toOpaque(),
            { opaque, bytes, count in
                guard let opaque, let bytes, count > 0 else { return shim_averror(EINVAL) }
                return Unmanaged<ReaderIO>.fromOpaque(opaque).takeUnretainedValue()
                    .read(UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
            },
            nil,
            { opaque, offset, whence in
                guard let opaque else { return Int64(shim_averror(EINVAL)) }
                return Unmanaged<ReaderIO>.fromOpaque(opaque).takeUnretainedValue().seek(offset, whence)
            })
        guard let raw else {
            av_free(buffer)
            LibraryError.outOfMemory()
        }
        raw.pointee.seekable = source.isSeekable ? AVIO_SEEKABLE_NORMAL : 0
    }

    deinit {
        if let context = raw { av_freep(&context.pointee.buffer) }
        avio_context_free(&raw)
    }

    /// From here on reads of more than 8 KiB go straight into the packet instead of through the buffer, which the library
    /// decides by the buffer's size.
    func readDirectly() { raw?.pointee.buffer_size = Int32(Self.directSize) }

    /// Forgets a failure and the end of the source, before a move to another position.
    func clear() {
        failure = nil
        raw?.pointee.error = 0
        raw?.pointee.eof_reached = 0
    }

    /// Throws the source's failure, if one stands.
    func check() throws(NodeFailure) {
        if let failure { throw failure }
    }

    /// Whether the source has been read to its end.
    var isAtEnd: Bool {
        guard let raw else { return true }
        return avio_feof(raw) != 0 || source.size.map { avio_tell(raw) >= $0 } ?? false
    }

    private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        if let failure { return code(for: failure) }
        if let size = source.size, offset >= size { return shim_averror_eof }
        do throws(NodeFailure) {
            let count = try source.read(into: buffer, at: offset)
            guard count > 0 else {
                guard let size = source.size, offset < size else { return shim_averror_eof }
                throw NodeFailure(.sourceChanged, "source ended at byte \(offset); expected \(size) bytes")
            }
            guard count <= buffer.count else {
                throw NodeFailure(.internalInvariant, "source delivered \(count) bytes into \(buffer.count)")
            }
            if offset < Self.headSize, head.count == Int(offset) {
                head.append(contentsOf: buffer[0..<count].prefix(Self.headSize - head.count))
            }
            offset += Int64(count)
            furthest = max(furthest, offset)
            return Int32(count)
        } catch {
            failure = error
            return code(for: error)
        }
    }

    private func code(for failure: NodeFailure) -> Int32 {
        failure.code == .cancelled ? shim_averror_exit : shim_averror(EIO)
    }

    private func seek(_ distance: Int64, _ whence: Int32) -> Int64 {
        let base: Int64
        switch whence & ~AVSEEK_FORCE {
        case AVSEEK_SIZE: return source.size ?? Int64(shim_averror(ENOSYS))
        case SEEK_SET: base = 0
        case SEEK_CUR: base = offset
        case SEEK_END:
            guard let size = source.size else { return Int64(shim_averror(ENOSYS)) }
            base = size
        default: return Int64(shim_averror(EINVAL))
        }
        let (target, overflow) = base.addingReportingOverflow(distance)
        guard !overflow, target >= 0 else { return Int64(shim_averror(EINVAL)) }
        guard source.isSeekable || target == offset else { return Int64(shim_averror(ESPIPE)) }
        offset = target
        return target
    }
}
