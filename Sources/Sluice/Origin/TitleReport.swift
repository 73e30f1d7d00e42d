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
            var fields: [(String, JSONValue)] = [
                ("index", .number(Double(format.id.index))), ("type", .string(format.type.rawValue)),
                ("codec", .string(format.codec.rawValue)), ("served", .bool(facts.served.contains(format.id))),
            ]
            if let language = format.language { fields.append(("language", .string(language))) }
            if let video = format.video {
                fields += [("width", .number(Double(video.width))), ("height", .number(Double(video.height)))]
            }
            if let audio = format.audio {
                fields += [("channels", .number(Double(audio.channels))), ("rate", .number(Double(audio.sampleRate)))]
            }
            streams.append(.object(fields))
        }
        return JSONValue.object([
            ("plan", .string(title.planID)), ("format", .string(facts.formatName)), ("shape", .string(title.shape.rawValue)),
            ("basis", .string(title.plan.basis.rawValue)), ("segments", .number(Double(title.plan.segments.count))),
            ("streams", .array(streams)),
        ]).text
    }
}
