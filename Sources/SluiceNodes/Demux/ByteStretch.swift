import SluiceCore

/// A part of a source, as a source of its own.
///
/// Closing it closes nothing: the source belongs to whoever opened it.
final class ByteStretch: ByteSource {
    private let source: any ByteSource
    private let start: Int64
    /// Nil to the end of the source.
    private let end: Int64?

    init(_ source: any ByteSource, from start: Int64, to end: Int64?) {
        self.source = source
        self.start = start
        self.end = end
    }

    var size: Int64? {
        guard let last = end ?? source.size else { return nil }
        return max(0, min(last, source.size ?? last) &- start)
    }
    var isSeekable: Bool { source.isSeekable }
    var identity: String? { source.identity }
    var name: String { source.name }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NodeFailure) -> Int {
        let (place, overflow) = start.addingReportingOverflow(max(0, offset))
        guard !overflow, place < end ?? .max else { return 0 }
        let count = Int(clamping: min(Int64(buffer.count), (end ?? .max) &- place))
        return try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: place)
    }

    func interrupt() { source.interrupt() }
    func resume() { source.resume() }
    func close() {}
}
