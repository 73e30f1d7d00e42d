/// What was decided about a title and what is known of its source: all that the choice of a graph depends on.
public struct RouteFacts: Sendable, Hashable {
    /// What happens to the picture.
    public enum Video: String, Sendable, Hashable, CaseIterable { case copy, encode, frames, none }
    /// What happens to the sound.
    public enum Audio: String, Sendable, Hashable, CaseIterable { case copy, bridge, pcm, none }
    /// Which kinds of subtitle the title offers.
    public enum Subtitles: String, Sendable, Hashable, CaseIterable { case none, text, bitmaps, mixed }
    /// What was asked for: playlists, one audio rendition of a title, decoded media, or a look at the source.
    public enum Output: String, Sendable, Hashable, CaseIterable {
        case hls
        case audioRendition = "audio-rendition"
        case frames, probe
    }

    public var video: Video
    public var audio: Audio
    public var subtitles: Subtitles
    /// The source grows while it is read.
    public var isLive: Bool
    /// The source is one sequence of bytes (a file, a raw transport stream), not a playlist of many.
    public var isByteStream: Bool
    public var output: Output

    public init(
        video: Video = .copy, audio: Audio = .copy, subtitles: Subtitles = .none, isLive: Bool = false,
        isByteStream: Bool = true, output: Output = .hls
    ) {
        self.video = video
        self.audio = audio
        self.subtitles = subtitles
        self.isLive = isLive
        self.isByteStream = isByteStream
        self.output = output
    }

    /// The value of `field` as conditions write it.
    public func value(of field: RouteField) -> String {
        switch field {
        case .video: video.rawValue
        case .audio: audio.rawValue
        case .subtitles: subtitles.rawValue
        case .isLive: "\(isLive)"
        case .isByteStream: "\(isByteStream)"
        case .output: output.rawValue
        }
    }
}
