/// Playlists whose addresses carry the viewer's token on. Pure.
///
/// A player resolves the addresses in a playlist against the playlist's own, which leaves its query behind.
enum SignedPlaylist {
    /// - Parameter token: of characters that need no escape.
    static func text(_ playlist: String, token: String) -> String {
        var lines: [String] = []
        for line in playlist.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                lines.append("")
            } else if line.hasPrefix("#") {
                lines.append(attribute(String(line), token))
            } else {
                lines.append("\(line)?v=\(token)")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The quoted value of an attribute `URI`.
    private static func attribute(_ line: String, _ token: String) -> String {
        let mark = "URI=\""
        guard line.hasPrefix("#EXT"), let start = line.firstRange(of: mark)?.upperBound,
            let end = line[start...].firstIndex(of: "\"")
        else { return line }
        return "\(line[..<end])?v=\(token)\(line[end...])"
    }
}
