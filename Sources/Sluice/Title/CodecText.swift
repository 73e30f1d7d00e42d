import SluiceBitstream

/// The CODECS entry of a track, from the sample entry that its initialization section carries.
///
/// - Note: RFC 6381 §3.3.
enum CodecText {
    static func text(_ track: TrackDescription) -> String { track.entry.codecString }
}
