/// A field that conditions may test.
public enum RouteField: String, Sendable, Hashable, CaseIterable {
    case video = "route.video"
    case audio = "route.audio"
    case subtitles = "route.subtitles"
    case isLive = "source.isLive"
    case isByteStream = "source.isByteStream"
    case output = "request.output"

    /// Every value the field can have, as text.
    public var values: [String] {
        switch self {
        case .video: RouteFacts.Video.allCases.map(\.rawValue)
        case .audio: RouteFacts.Audio.allCases.map(\.rawValue)
        case .subtitles: RouteFacts.Subtitles.allCases.map(\.rawValue)
        case .isLive, .isByteStream: ["true", "false"]
        case .output: RouteFacts.Output.allCases.map(\.rawValue)
        }
    }

    /// Whether its values are written as JSON booleans.
    public var isBoolean: Bool { self == .isLive || self == .isByteStream }
}
