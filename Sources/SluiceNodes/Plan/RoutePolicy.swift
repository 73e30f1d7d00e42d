import SluiceBitstream
public import SluiceCore

/// What a client can play, as far as the choice of a route asks.
public struct ClientCapabilities: Sendable, Hashable {
    /// Names of codecs as FFmpeg writes them.
    public var codecs: Set<CodecName>
    /// What of pictures it takes beyond what every decoder does.
    public var traits: Set<PictureTrait>

    public init(codecs: Set<CodecName>, traits: Set<PictureTrait> = PictureTrait.harmless) {
        self.codecs = codecs
        self.traits = traits
    }

    /// Everything that fragmented MP4 carries without a bridge, and that some decoder shows.
    public static let everything = ClientCapabilities(
        codecs: RoutePolicy.pictures.union(RoutePolicy.sounds),
        traits: Set(PictureTrait.allCases).subtracting([.bothViews]))
}

/// How each stream of a title is served, and why.
public struct Route: Sendable, Hashable {
    public enum Means: String, Sendable, Hashable {
        /// The coded units are taken over.
        case copy
        /// Decoded and encoded as pictures that the client plays.
        case encode
        /// Decoded and encoded as sound that the client plays.
        case bridge
        /// Not served.
        case none
    }

    public struct Stream: Sendable, Hashable {
        public var stream: StreamID
        public var means: Means
        /// One sentence for people.
        public var reason: String
    }

    public var video: Stream?
    public var audio: [Stream] = []

    /// What copying serves.
    public var copied: StreamSelection {
        StreamSelection(
            video: video.flatMap { $0.means == .copy ? $0.stream : nil },
            audio: audio.filter { $0.means == .copy }.map(\.stream))
    }
}

/// Decides how the streams of a title are served (decisions D24). Pure.
public enum RoutePolicy {
    package static let pictures: Set<CodecName> = ["h264", "hevc", "av1", "vp9"]
    static let sounds: Set<CodecName> = ["aac", "ac3", "eac3", "flac", "alac", "opus", "mp3"]
    /// FLAC blocks below this are not for streaming.
    ///
    /// - Note: behaviours RP-34.
    static let leastFLACBlock = 192
    static let encrypted = "encrypted; expected units in the clear"

    /// - Parameter facts: nil before the source was planned; then only what the container says counts.
    public static func route(
        _ streams: [StreamFormat], capabilities: ClientCapabilities = .everything, facts: TitleFacts? = nil
    ) -> Route {
        var route = Route()
        let selection = StreamSelection(streams)
        if let id = selection.video, let format = streams.first(where: { $0.id == id }) {
            route.video = picture(format, capabilities, facts)
        }
        route.audio = selection.audio.compactMap { id in
            streams.first { $0.id == id }.map { sound($0, capabilities) }
        }
        return route
    }

    private static func picture(
        _ format: StreamFormat, _ capabilities: ClientCapabilities, _ facts: TitleFacts?
    ) -> Route.Stream {
        func answer(_ means: Route.Means, _ reason: String) -> Route.Stream {
            Route.Stream(stream: format.id, means: means, reason: reason)
        }
        guard !format.isEncrypted else { return answer(.none, Self.encrypted) }
        guard pictures.contains(format.codec) else {
            return answer(.encode, "\(format.codec) pictures cannot be carried in fragmented MP4")
        }
        guard capabilities.codecs.contains(format.codec) else {
            return answer(.encode, "the client does not play \(format.codec)")
        }
        let topology = PictureTopology.choose(
            format.codec, PictureTraitRule.traits(format, facts: facts), taken: capabilities.traits)
        if topology.isRefused { return answer(.encode, topology.reason) }
        if let facts, facts.video == format.id, facts.unplacedPictures > 0, facts.reorderDepth > 0 {
            return answer(
                .encode, "\(facts.unplacedPictures) reordered pictures have no presentation time in the container")
        }
        return answer(.copy, topology.reason)
    }

    private static func sound(_ format: StreamFormat, _ capabilities: ClientCapabilities) -> Route.Stream {
        func answer(_ means: Route.Means, _ reason: String) -> Route.Stream {
            Route.Stream(stream: format.id, means: means, reason: reason)
        }
        func bridge(_ reason: String) -> Route.Stream {
            BridgePolicy.refusal(format).map { answer(.none, $0) } ?? answer(.bridge, reason)
        }
        guard !format.isEncrypted else { return answer(.none, Self.encrypted) }
        guard sounds.contains(format.codec) else {
            return bridge("\(format.codec) sound cannot be carried in fragmented MP4 for browsers")
        }
        guard capabilities.codecs.contains(format.codec) else {
            return bridge("the client does not play \(format.codec)")
        }
        guard let audio = format.audio, audio.sampleRate > 0, audio.channels > 0 else {
            return answer(.none, "no sample was found that says its rate and channels")
        }
        if format.codec == "aac", let config = AudioSpecificConfig(format.extradata) {
            guard config.objectType == 2 else {
                return bridge("AAC of object type \(config.objectType) is not played by browsers")
            }
            guard config.channelConfiguration > 0 else {
                return bridge(
                    "AAC channels that only a program config element names are not played by browsers")
            }
        }
        if format.codec == "flac", let info = FLACStreamInfo(format.extradata),
            (16..<leastFLACBlock).contains(info.minimumBlock), info.maximumBlock < leastFLACBlock
        {
            return bridge("FLAC blocks of \(info.minimumBlock) samples are too short to stream")
        }
        return answer(.copy, "\(format.codec) is copied")
    }
}
