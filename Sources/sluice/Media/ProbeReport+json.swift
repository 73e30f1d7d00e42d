import SluiceAV
import SluiceCore
import SluiceGraph
import SluiceNodes

extension ProbeReport {
    /// The report as `--json` prints it. Times are seconds, sizes bytes, rates bits a second.
    var json: JSONValue {
        [
            "source": .string(locator), "identity": .text(identity), "bytes": .number(byteCount),
            "seekable": .boolean(isSeekable), "format": .string(formatName),
            "duration": duration.map { .real($0.inSeconds) } ?? .null,
            "durationGuessed": .boolean(isDurationGuessed), "start": .seconds(startTime),
            "streams": .array(describedStreams),
            "chapters": .array(
                chapters.map { chapter in
                    [
                        "title": .string(chapter.title), "start": .seconds(chapter.start),
                        "duration": .real(chapter.duration.inSeconds),
                    ]
                }),
            "attachments": .array(
                attachments.map { attachment in
                    [
                        "stream": .integer(attachment.stream.index), "kind": .string(attachment.kind.rawValue),
                        "codec": .string(attachment.codec.rawValue), "file": .text(attachment.fileName),
                        "mimeType": .text(attachment.mimeType), "bytes": .integer(attachment.byteCount),
                    ]
                }),
            "detected": detected.map { list in
                .object(list.map { .init($0.kind.rawValue, .text($0.finding)) })
            } ?? .null,
            "tags": .tags(tags),
        ]
    }

    private var describedStreams: [JSONValue] {
        let deliveries = deliveries
        return zip(streams, zip(profiles, streamTags)).map { stream, rest in
            Self.stream(stream, rest.0, rest.1, deliveries[stream.id.index])
        }
    }

    /// What becomes of a sound, and why.
    private static func delivery(_ found: (delivery: SoundDelivery, reason: String)) -> JSONValue {
        let means =
            switch found.delivery {
            case .copy: "copy"
            case .bridge: "bridge"
            case .refused: "none"
            }
        return [
            "means": .string(means), "codec": .text(found.delivery.codec?.rawValue), "reason": .string(found.reason),
        ]
    }

    private static func stream(
        _ stream: StreamFormat, _ profile: String?, _ tags: [String: String],
        _ found: (delivery: SoundDelivery, reason: String)?
    ) -> JSONValue {
        [
            "index": .integer(stream.id.index), "type": .string(stream.type.rawValue),
            "codec": .string(stream.codec.rawValue), "codecTag": .integer(Int(stream.codecTag)),
            "profile": .text(profile), "profileNumber": .number(stream.profile), "level": .number(stream.level),
            "bitRate": .number(stream.bitRate), "timebase": .string(stream.timebase.description),
            "startTicks": .number(stream.startTicks), "durationTicks": .number(stream.durationTicks),
            "extradataBytes": .integer(stream.extradata.count), "language": .text(stream.language),
            "title": .text(stream.title), "disposition": .array(stream.disposition.names.map { .string($0) }),
            "parked": .text(stream.parked?.rawValue),
            "traits": .array(PictureTraitRule.traits(stream).map { .string($0.rawValue) }),
            "route": route(stream),
            "video": stream.video.map { video($0) } ?? .null, "audio": stream.audio.map { audio($0) } ?? .null,
            "delivery": found.map { delivery($0) } ?? .null,
            "sideData": .array(stream.sideData.map { .string($0.kind.rawValue) }), "tags": .tags(tags),
        ]
    }

    /// How a client that takes everything is served with the pictures; null for other streams.
    private static func route(_ stream: StreamFormat) -> JSONValue {
        guard let route = RoutePolicy.route([stream]).video else { return .null }
        return ["means": .string(route.means.rawValue), "reason": .string(route.reason)]
    }

    private static func video(_ video: VideoFormat) -> JSONValue {
        [
            "width": .integer(video.width), "height": .integer(video.height),
            "rate": .text(video.rate?.description), "sampleAspect": .text(video.sampleAspect?.description),
            "pixelFormat": .text(video.pixelFormat), "reorderDepth": .integer(video.reorderDepth),
            "interlaced": video.interlaced.map { .boolean($0) } ?? .null, "rotation": .integer(video.rotation),
            "colorPrimaries": .integer(video.colorPrimaries), "colorTransfer": .integer(video.colorTransfer),
            "colorMatrix": .integer(video.colorMatrix), "fullRange": .boolean(video.fullRange),
            "dynamicRange": .text(video.dynamicRange),
            "dolbyVision": video.dolbyVision.map { declaration in
                [
                    "profile": .integer(declaration.profile), "level": .integer(declaration.level),
                    "metadata": .boolean(declaration.hasMetadata),
                    "enhancementLayer": .boolean(declaration.hasEnhancementLayer),
                    "baseLayer": .boolean(declaration.hasBaseLayer),
                    "compatibility": .integer(declaration.compatibility),
                ]
            } ?? .null,
            "masteringDisplay": video.masteringDisplay.map { display in
                [
                    "maximumLuminance": .real(Double(display.maximumLuminance) / 10_000),
                    "minimumLuminance": .real(Double(display.minimumLuminance) / 10_000),
                    "red": .point(display.red), "green": .point(display.green), "blue": .point(display.blue),
                    "white": .point(display.white),
                ]
            } ?? .null,
            "lightLevel": video.lightLevel.map { level in
                [
                    "maximumContent": .integer(level.maximumContent),
                    "maximumFrameAverage": .integer(level.maximumFrameAverage),
                ]
            } ?? .null,
        ]
    }

    private static func audio(_ audio: AudioFormat) -> JSONValue {
        [
            "sampleRate": .integer(audio.sampleRate), "channels": .integer(audio.channels),
            "layout": .text(audio.layout), "frameSize": .number(audio.frameSize),
            "priming": .integer(audio.priming), "sampleFormat": .text(audio.sampleFormat),
            "bitsPerSample": .number(audio.bitsPerSample),
        ]
    }
}

extension JSONValue {
    /// A string, or null.
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    /// A whole number, or null.
    static func number(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }
    /// A whole number, or null.
    static func number(_ value: Int64?) -> JSONValue { value.map { .integer(Int($0)) } ?? .null }
    /// Seconds, or null.
    static func seconds(_ time: Timestamp?) -> JSONValue { time.map { .real($0.seconds) } ?? .null }
    /// An object, keys sorted.
    static func tags(_ tags: [String: String]) -> JSONValue {
        .object(tags.sorted { $0.key < $1.key }.map { Member($0.key, .string($0.value)) })
    }
    /// CIE 1931 coordinates.
    fileprivate static func point(_ point: MasteringDisplay.Point) -> JSONValue {
        [.real(Double(point.x) / 50_000), .real(Double(point.y) / 50_000)]
    }
}
