public import SluiceCore

/// A playlist of either kind, as read from a server.
public enum PlaylistDocument: Sendable, Hashable {
    case media(MediaPlaylist)
    case multivariant(MultivariantPlaylist)

    /// Bytes beyond which a playlist is refused.
    public static let byteLimit = 16 << 20
    /// Segments, or renditions and variants, beyond which a playlist is refused.
    public static let entryLimit = 100_000

    /// Reads a playlist; unknown tags and attributes are skipped, CR LF and a byte order mark are accepted.
    ///
    /// Throws `.limitExceeded` beyond ``byteLimit`` or ``entryLimit``, `.notMedia` where the first line is not EXTM3U
    /// or the bytes are not UTF-8, `.malformedInput` (with the line number) for values that cannot be read and for a
    /// playlist that mixes both kinds.
    public init(_ bytes: [UInt8]) throws(NodeFailure) {
        guard bytes.count <= Self.byteLimit else {
            throw NodeFailure(
                .limitExceeded, "playlist of \(bytes.count) bytes; expected \(Self.byteLimit) at most")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw NodeFailure(.notMedia, "playlist is not valid UTF-8")
        }
        let lines = PlaylistScanner(text)
        guard lines.startsWithHeader else {
            throw NodeFailure(.notMedia, "playlist does not start with #EXTM3U")
        }
        self = try lines.isMultivariant ? .multivariant(.init(lines)) : .media(.init(lines))
    }

    /// Reads a playlist from text.
    public init(text: String) throws(NodeFailure) { try self.init(Array(text.utf8)) }
}
