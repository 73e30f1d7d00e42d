import SluiceCore

/// Decides whether a recognised container may be opened at all.
enum FormatFence {
    /// Throws where the demuxer is on the refused list or opens its own input; the message names the format.
    static func check(name: String, opensItsOwnInput: Bool) throws(NodeFailure) {
        switch RefusedFormatTable.reasons[name] {
        case .references(let what):
            throw NodeFailure(
                .unsupported,
                "\(what) (format '\(name)'): it names other resources, which a container reader never opens")
        case .device:
            throw NodeFailure(.unsupported, "format '\(name)' is a device or a socket; expected a media container")
        case .picture:
            throw NodeFailure(.unsupported, "format '\(name)' is a still picture; expected a media container")
        case .pseudo:
            throw NodeFailure(.notMedia, "bytes look like '\(name)' at best; expected a media container")
        case nil:
            guard !opensItsOwnInput else {
                throw NodeFailure(.unsupported, "format '\(name)' opens its own input; expected a media container")
            }
        }
    }

    /// Whether a body is a playlist: `#EXTM3U` after an optional byte order mark and white space.
    /// - Note: RFC 8216 §4.3.1.1.
    static func isPlaylist(_ head: [UInt8]) -> Bool {
        var rest = head[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        return rest.starts(with: Array("#EXTM3U".utf8))
    }
}
