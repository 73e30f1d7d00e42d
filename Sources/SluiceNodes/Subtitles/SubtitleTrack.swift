import SluiceAV
package import SluiceCore

/// A subtitle track of a title that is served as text. Pure.
package struct SubtitleTrack: Sendable, Hashable {
    package enum Origin: Sendable, Hashable {
        case stream(StreamID)
        /// A file beside the source.
        case file(Sidecar)
    }

    /// A text file, and what names its content.
    package struct Sidecar: Sendable, Hashable {
        package var path: String
        /// Size and time of the last change.
        package var identity: String

        package init(path: String, identity: String) {
            self.path = path
            self.identity = identity
        }
    }

    /// `subs-1`, …
    package var rendition: String
    package var origin: Origin
    package var codec: CodecName
    /// As the container writes it.
    package var language: String?
    package var title: String?
    package var disposition: Disposition

    package init(
        rendition: String, origin: Origin, codec: CodecName, language: String?, title: String?, disposition: Disposition
    ) {
        self.rendition = rendition
        self.origin = origin
        self.codec = codec
        self.language = language
        self.title = title
        self.disposition = disposition
    }

    /// The stream; nil for what lies beside the file.
    package var stream: StreamID? {
        switch origin {
        case .stream(let id): id
        case .file: nil
        }
    }
}

extension TitleFacts {
    /// Codecs whose packets are texts.
    package static let textCodecs: Set<CodecName> = ["subrip", "ass", "ssa", "webvtt", "mov_text", "text"]
    /// Subtitle tracks that a title has at most.
    package static let subtitleLimit = 128

    /// Text tracks in container order, then the files beside the source; the text of chapters, which the demuxer has used up, is none.
    package var textTracks: [SubtitleTrack] {
        let found = streams.filter { $0.type == .subtitle && $0.parked == nil && Self.textCodecs.contains($0.codec) }
        let embedded = found.map { format in
            SubtitleTrack(
                rendition: "", origin: .stream(format.id), codec: format.codec, language: format.language,
                title: format.title, disposition: format.disposition)
        }
        return (embedded + sidecars).prefix(Self.subtitleLimit).enumerated().map { number, track in
            var track = track
            track.rendition = "subs-\(number + 1)"
            return track
        }
    }

    /// Bitmap tracks in container order, as `images-1`, …; none where the source's clock restarts, because nobody could
    /// What places of a bitmap track count in where the stream does not say.
    package func imagePlane(_ codec: CodecName) -> (width: Int, height: Int) {
        let picture = video.flatMap { format($0)?.video }
        return codec == "dvb_subtitle" ? (720, 576) : (picture?.width ?? 1_920, picture?.height ?? 1_080)
    }

    /// find a place in it.
    package var imageTracks: [SubtitleTrack] {
        guard !clocks.values.contains(where: { !$0.epochs.isEmpty }) else { return [] }
        let found = streams.filter {
            $0.type == .subtitle && $0.parked == nil && BitmapDecoder.codecs.contains($0.codec)
        }
        return found.prefix(Self.subtitleLimit).enumerated().map { number, format in
            SubtitleTrack(
                rendition: "images-\(number + 1)", origin: .stream(format.id), codec: format.codec,
                language: format.language, title: format.title, disposition: format.disposition)
        }
    }

    /// The stream that leads the title: its picture, or its first sound.
    package var lead: StreamID? { video ?? audio.first }

    /// Milliseconds of the title for stamps of a subtitle stream.
    package func subtitleClock(_ format: StreamFormat) -> TrackClock {
        TrackClock(
            source: format.timebase, timescale: 1_000, origin: origin,
            epochs: lead.flatMap { clocks[$0]?.epochs } ?? [])
    }
}
