/// Collects the lines of a playlist.
struct PlaylistLines {
    private(set) var text: String

    /// Starts with EXTM3U and EXT-X-VERSION, in that order.
    init(version: Int) { text = "#EXTM3U\n#EXT-X-VERSION:\(version)\n" }

    mutating func tag(_ name: String) { text += "#\(name)\n" }
    mutating func tag(_ name: String, _ value: String) { text += "#\(name):\(value)\n" }
    mutating func tag(_ name: String, _ attributes: AttributeList) { tag(name, attributes.text) }
    mutating func uri(_ uri: String) { text += PlaylistText.line(uri) + "\n" }
}

/// Attributes of a tag, in the order they were appended.
struct AttributeList {
    private(set) var text = ""

    /// A number, a resolution or an enumerated value.
    mutating func append(_ name: String, _ value: String) {
        if !text.isEmpty { text += "," }
        text += name + "=" + PlaylistText.token(value)
    }

    /// A quoted string; what a quoted string cannot hold is replaced.
    mutating func append(quoted name: String, _ value: String) {
        if !text.isEmpty { text += "," }
        text += name + "=\"" + PlaylistText.quotable(value) + "\""
    }
}

/// What texts may hold inside a playlist.
///
/// - Note: RFC 8216 §4.1, §4.2.
enum PlaylistText {
    /// Double quotes become single quotes; line breaks and other control characters become spaces.
    static func quotable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar == "\"" {
                result.unicodeScalars.append("'")
            } else {
                result.unicodeScalars.append(isControl(scalar) ? " " : scalar)
            }
        }
        return result
    }

    /// A URI or title line: control characters are dropped.
    static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        result.unicodeScalars.append(contentsOf: text.unicodeScalars.filter { !isControl($0) })
        return result
    }

    /// An unquoted value: commas, quotes, white space and control characters are dropped.
    static func token(_ text: String) -> String {
        var result = ""
        result.unicodeScalars.append(
            contentsOf: text.unicodeScalars.filter { !isControl($0) && $0 != "," && $0 != "\"" && $0 != " " })
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0xFEFF
            || scalar.value == 0x2028 || scalar.value == 0x2029
    }
}
