import SluiceCore
import SluiceGraph
import SluiceNodes

/// `title.json`: what a title is and how it is served.
struct TitleReport {
    let title: Title

    init(_ title: Title) { self.title = title }

    var text: String {
        let facts = title.facts
        var streams: [JSONValue] = []
        for format in facts.streams {
            var fields: [JSONValue.Member] = [
                .init("index", .integer(format.id.index)), .init("type", .string(format.type.rawValue)),
                .init("codec", .string(format.codec.rawValue)),
                .init("served", .boolean(facts.served.contains(format.id))),
            ]
            if let language = format.language { fields.append(.init("language", .string(language))) }
            if let video = format.video {
                fields += [.init("width", .integer(video.width)), .init("height", .integer(video.height))]
            }
            if let audio = format.audio {
                fields += [.init("channels", .integer(audio.channels)), .init("rate", .integer(audio.sampleRate))]
            }
            streams.append(.object(fields))
        }
        return JSONValue.object([
            .init("plan", .string(title.planID)), .init("format", .string(facts.formatName)),
            .init("shape", .string(title.shape.rawValue)),
            .init("basis", .string(title.plan.basis.rawValue)), .init("segments", .integer(title.plan.segments.count)),
            .init("streams", .array(streams)),
        ]).encoded()
    }
}
