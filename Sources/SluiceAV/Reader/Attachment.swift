public import SluiceCore

/// A file carried beside the media: a font, a cover.
public struct Attachment: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case font, picture, other
    }

    public var stream: StreamID
    public var kind: Kind
    public var codec: CodecName
    /// As the container names it; nil where it does not. Untrusted: never a path.
    public var fileName: String?
    /// As the container declares it.
    public var mimeType: String?
    public var byteCount: Int

    package init(
        stream: StreamID, kind: Kind, codec: CodecName, fileName: String?, mimeType: String?, byteCount: Int
    ) {
        self.stream = stream
        self.kind = kind
        self.codec = codec
        self.fileName = fileName
        self.mimeType = mimeType
        self.byteCount = byteCount
    }
}
