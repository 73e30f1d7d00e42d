import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTransport

/// The picture that a container carries for its title.
extension Origin {
    /// Largest picture that is served, in bytes.
    private static let coverLimit = 32 << 20

    /// - Throws: what the source and the container refuse.
    func cover(_ title: Title) async throws -> Response {
        guard let cover = title.facts.about.cover else { return .notFound("the title has no cover picture") }
        guard cover.byteCount <= Self.coverLimit else {
            return .notFound("the cover picture of \(cover.byteCount) bytes is larger than \(Self.coverLimit)")
        }
        let (source, options) = (title.source, engine.options.sources.transportOptions)
        let bytes = try await InterruptibleSource.run { (willOpen) throws(NodeFailure) -> [UInt8] in
            let bytes = try Transport.open(source, options: options) { willOpen($0) }
            defer { bytes.close() }
            return try FormatReader(source: bytes, hint: source).attachmentBytes(of: cover.stream)
        }
        guard !bytes.isEmpty else { return .notFound("the cover picture is empty") }
        var response = Response(type: cover.mediaType, body: .bytes(bytes))
        response.headers["ETag"] = "\"\(title.planID)-cover-\(String(Checksum.of(bytes), radix: 16))\""
        response.headers["Cache-Control"] = "no-cache"
        // Whatever the file claims to be, nobody runs it.
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
    }
}

extension Attachment {
    /// By codec: what the container says of it is not to be trusted.
    var mediaType: String {
        switch codec {
        case "mjpeg": "image/jpeg"
        case "png": "image/png"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "bmp": "image/bmp"
        default: "application/octet-stream"
        }
    }
}
