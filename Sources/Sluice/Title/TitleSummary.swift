import SluiceBitstream
import SluiceCore
import SluiceNodes

/// What a list of titles says about one of them.
public struct TitleSummary: Sendable, Hashable {
    public struct Video: Sendable, Hashable {
        public var codec: String
        /// In pixels of the coded picture.
        public var width: Int
        public var height: Int
        /// Brightness range, as in `VIDEO-RANGE`: `SDR`, `PQ` or `HLG`.
        public var range: String
    }

    public struct Audio: Sendable, Hashable {
        /// The playlist that carries it where it is copied: `audio-1`. Those of bridged sounds add the codec.
        public var rendition: String
        public var codec: String
        public var language: String?
        public var title: String?
        public var channels: Int
    }

    public var duration: Duration
    public var segments: Int
    public var video: Video?
    public var audio: [Audio]

    init(_ facts: TitleFacts, _ plan: TitlePlan) {
        duration = .nanoseconds(max(0, plan.end).rescaled(from: plan.timebase, to: .nanoseconds))
        segments = plan.segments.count
        video = facts.video.flatMap { facts.format($0) }.map { format in
            Video(
                codec: format.codec.rawValue, width: format.video?.width ?? 0, height: format.video?.height ?? 0,
                range: Self.range(facts, format.id).rawValue)
        }
        audio = facts.sounds.enumerated().map { number, id in
            let format = facts.format(id)
            return Audio(
                rendition: "audio-\(number + 1)", codec: format?.codec.rawValue ?? "",
                language: format?.language, title: format?.title, channels: format?.audio?.channels ?? 0)
        }
    }

    /// What the initialization section says, as in the master playlist.
    private static func range(_ facts: TitleFacts, _ id: StreamID) -> VideoRange {
        (try? TrackFactory.track(facts, id).entry.videoRange) ?? .sdr
    }
}
