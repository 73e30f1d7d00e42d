/// Random access to the bytes of a source: a file, a remote object behind a window, memory, a host's own.
///
/// ``read(into:at:)`` and ``measuredSize()`` may block and are called only from threads that may (a dedicated lane);
/// everything else returns at once from any thread. One reader at a time.
public protocol ByteSource: AnyObject, Sendable {
    /// Bytes in all; nil where the origin does not say.
    var size: Int64? { get }
    /// Whether any offset can be read, in any order. Otherwise only a single pass from 0 forward works.
    var isSeekable: Bool { get }
    /// What names this very content (size, modification time, inode, strong ETag); nil where nothing does.
    var identity: String? { get }
    /// What messages call it: a path, or a URL without its secrets; empty where it has no name.
    var name: String { get }
    /// Fills the front of `buffer` from `offset`; returns how much came, 0 only at the end of the source.
    ///
    /// Throws `.transport`, `.timedOut`, `.sourceChanged`, or `.cancelled` when interrupted. A failed read is never an
    /// end (behaviours RD-09).
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NodeFailure) -> Int
    /// A read that waits returns `.cancelled` now, and so do later ones until ``resume()``. Any thread.
    func interrupt()
    func resume()
    /// Gives up connections and descriptors; later reads throw `.cancelled`. Any thread, idempotent.
    func close()
}

extension ByteSource {
    public var name: String { "" }
}
