import SluiceAV
import SluiceBitstream
import SluiceCore
import SluiceGraph
import SluiceNodes

/// `title.json`: what a title is and how it is served.
struct TitleReport {
    let title: Title
    let options: TitleOptions
    let offer: TitleOffer

    init(_ title: Title, _ options: TitleOptions, _ offer: TitleOffer) {
        self.title = title
        self.options = options
        self.offer = offer
    }

    var text: String {
        let facts = title.facts
        var streams: [JSONValue] = []
        for format in facts.streams {
            var fields: [JSONValue.Member] = [
                .init("index", .integer(format.id.index)), .init("type", .string(format.type.rawValue)),
                .init("codec", .string(format.codec.rawValue)),
                .init(
                    "served", .boolean(facts.served.contains(format.id) || offer.bridged(format.id, of: facts) != nil)),
            ]
            if let reason = offer.reasons[format.id] {
                let isOffered =
                    format.id == facts.video ? offer.refusal == nil : offer.sounds.contains(format.id)
                fields += [.init("offered", .boolean(isOffered)), .init("reason", .string(reason))]
                if let sound = offer.bridged(format.id, of: facts) {
                    fields += [
                        .init("delivery", .string("bridge")), .init("bridge", .string(sound.codec.rawValue)),
                        .init("rendition", .string(title.shape == .muxed ? "video" : sound.rendition)),
                    ]
                } else if offer.sounds.contains(format.id) {
                    fields.append(.init("delivery", .string("copy")))
                }
            }
            if let language = format.language { fields.append(.init("language", .string(language))) }
            if let video = format.video {
                fields += [.init("width", .integer(video.width)), .init("height", .integer(video.height))]
            }
            if format.id == facts.video {
                fields += [
                    .init("topology", offer.topology.map { .string($0.name) } ?? .null),
                    .init(
                        "traits",
                        .array(PictureTraitRule.traits(format, facts: facts).map { .string($0.rawValue) })),
                ]
                fields += signal(facts, format)
            }
            if let audio = format.audio {
                fields += [.init("channels", .integer(audio.channels)), .init("rate", .integer(audio.sampleRate))]
            }
            streams.append(.object(fields))
        }
        return JSONValue.object([
            .init("plan", .string(title.planID)), .init("format", .string(facts.formatName)),
            .init("shape", .string(title.shape.rawValue)),
            .init("client", client), .init("basis", .string(title.plan.basis.rawValue)),
            .init("segments", .integer(title.plan.segments.count)),
            .init("repairs", repairs), .init("tags", tags), .init("chapters", .array(chapters)), .init("cover", cover),
            .init("streams", .array(streams)), .init("subtitles", subtitles(title.subtitles.tracks)),
            .init("images", subtitles(title.images.tracks)),
        ]).encoded()
    }

    /// Brightness range, metadata of each picture, and what becomes of Dolby Vision.
    private func signal(_ facts: TitleFacts, _ format: StreamFormat) -> [JSONValue.Member] {
        guard let signal = TrackFactory.signal(facts, format.id),
            let entry = try? TrackFactory.track(facts, format.id).entry
        else { return [] }
        var fields: [JSONValue.Member] = [
            .init("range", .string(entry.videoRange.rawValue)),
            .init("dynamicMetadata", .array(signal.dynamic.map { .string($0.rawValue) })),
        ]
        guard let service = TrackFactory.dolbyVision(facts, format.id) else { return fields }
        let declared = format.video?.dolbyVision.map { JSONValue.string("\($0.profile).\($0.compatibility)") }
        let served = service.record.map { JSONValue.string("\($0.profile).\($0.compatibility)") }
        fields.append(
            .init(
                "dolbyVision",
                [
                    "declared": declared ?? .null, "rpu": signal.rpu.map { .string($0.description) } ?? .null,
                    "served": served ?? .null,
                    "conversion": service.conversion.map { .string($0.rawValue) } ?? .null,
                    "reason": .string(service.reason),
                ]))
        return fields
    }

    /// Tracks that are served as text, or as pictures.
    private func subtitles(_ tracks: [SubtitleTrack]) -> JSONValue {
        .array(
            tracks.map { track in
                [
                    "rendition": .string(track.rendition), "codec": .string(track.codec.rawValue),
                    "file": track.fileName.map { .string($0) } ?? .null,
                    "stream": track.stream.map { .integer($0.index) } ?? .null,
                    "language": track.language.map { .string($0) } ?? .null,
                    "title": track.title.map { .string($0) } ?? .null,
                    "forced": .boolean(track.disposition.contains(.forced)),
                    "default": .boolean(track.disposition.contains(.isDefault)),
                    "hearingImpaired": .boolean(track.disposition.contains(.hearingImpaired)),
                ]
            })
    }

    /// What the source says wrongly or not at all, and what stands in for it.
    private var repairs: JSONValue {
        let facts = title.facts
        return [
            "times": .string(facts.pictureStamps.name), "unplaced": .integer(facts.unplacedPictures),
            "marks": .boolean(facts.ignoresKeyFlags), "parts": .boolean(facts.joinsPackets),
            "clocks": .integer(1 + (facts.clocks.values.map(\.epochs.count).max() ?? 0)),
            "configurations": .integer(max(1, facts.versions.count)),
        ]
    }

    private var tags: JSONValue {
        .object(title.facts.about.tags.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
    }

    /// On the title's own time.
    private var chapters: [JSONValue] {
        title.facts.about.chapters.map { chapter in
            [
                "title": .string(chapter.title),
                "start": .real(Self.seconds(from: title.facts.origin, to: chapter.start)),
                "duration": .real(chapter.duration.inSeconds),
            ]
        }
    }

    private static func seconds(from origin: Timestamp, to time: Timestamp) -> Double {
        (Double(time.nanoseconds) - Double(origin.nanoseconds)) / 1e9
    }

    /// Where the picture that stands for the title is found, and what it is.
    private var cover: JSONValue {
        guard let cover = title.facts.about.cover else { return .null }
        return ["uri": "cover", "type": .string(cover.mediaType), "bytes": .integer(cover.byteCount)]
    }

    /// What the client was taken for, and for whom else the multivariant playlist is another.
    private var client: JSONValue {
        let capabilities = options.capabilities ?? .generic
        let differing = TitleOffer.differing(title.facts, title.shape).map { JSONValue.string($0.rawValue) }
        return [
            "caps": .string(capabilities.text),
            "codecs": .array(capabilities.capabilities.codecs.map(\.rawValue).sorted().map { .string($0) }),
            "refusal": offer.refusal.map { .string($0) } ?? .null, "differsFor": .array(differing),
        ]
    }
}
