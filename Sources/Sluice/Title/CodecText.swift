import SluiceBitstream

/// The CODECS entry of a track, from the sample entry that its initialization section carries.
///
/// - Note: RFC 6381 §3.3.
enum CodecText {
    static func text(_ track: TrackDescription) -> String {
        let text = track.entry.codecString
        // The optional fields of VP9 are left out where they say what holds without them, or leave something open.
        let fields = text.split(separator: ".")
        guard fields.first == "vp09", fields.count == 9 else { return text }
        let isPlain = fields[4...] == ["01", "01", "01", "01", "00"]
        return isPlain || fields[5..<8].contains("02") ? fields[..<4].joined(separator: ".") : text
    }
}
