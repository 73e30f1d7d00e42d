import SluiceBitstream
import SluiceCore

/// A playlist that was read can be written, and what was written reads and writes as the same text.
enum PlaylistProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        guard let first = try? PlaylistDocument(bytes) else { return nil }
        if case .multivariant(let playlist) = first, playlist.renditions.isEmpty, playlist.variants.isEmpty,
            playlist.iFrameVariants.isEmpty
        {
            // Nothing is left that says which kind of playlist it is.
            return nil
        }
        let text = text(of: first)
        do throws(NodeFailure) {
            let second = try PlaylistDocument(text: text)
            return self.text(of: second) == text ? nil : "what was written reads as another playlist:\n\(text)"
        } catch {
            return "what was written does not parse: \(error)\n\(text)"
        }
    }

    private static func text(of document: PlaylistDocument) -> String {
        switch document {
        case .media(let playlist): playlist.text
        case .multivariant(let playlist): playlist.text
        }
    }
}
