import SluiceCore
import SluiceNodes

/// What a URL path names. Pure.
package enum OriginPath: Equatable {
    package enum Object: Equatable {
        case master
        case facts
        /// The picture that stands for the title.
        case cover
        /// Takes the beacons of players.
        case events
        /// A media playlist of a plan.
        case playlist(plan: String, rendition: String)
        case segment(plan: String, SegmentKey)
        /// A subtitle track as it was authored.
        case script(plan: String, rendition: String)
        /// Something of a bitmap subtitle track.
        case image(plan: String, rendition: String, ImageObject)

        /// Whether it means anything only while the source is what was planned.
        var isOfPlan: Bool {
            switch self {
            case .master, .facts, .cover, .events: false
            case .playlist, .segment, .script, .image: true
            }
        }
    }

    package enum ImageObject: Equatable {
        /// Which windows there are.
        case list
        /// What is shown in one segment.
        case cues(Int)
        case picture(ImageName)
    }

    case status
    case health
    /// Numbers for Prometheus.
    case metrics
    /// Titles, producers, viewers and graphs as JSON.
    case statusReport
    case title(source: [String], options: String, Object)

    /// Longest option text that is looked at.
    package static let optionLimit = 1_024

    /// Nil where the path names nothing.
    package init?(_ components: [String]) {
        switch components.first {
        case nil: self = .status
        case "" where components.count == 1: self = .status
        case "healthz" where components.count == 1: self = .health
        case "metrics" where components.count == 1: self = .metrics
        case "api" where components == ["api", "status"]: self = .statusReport
        case "v1":
            guard let parsed = Self.title(Array(components.dropFirst())) else { return nil }
            self = parsed
        default: return nil
        }
    }

    /// A component that begins with `~` ends the source path; a real name that does is written `~~name`.
    private static func title(_ components: [String]) -> OriginPath? {
        guard let mark = components.firstIndex(where: { $0.hasPrefix("~") && !$0.hasPrefix("~~") }), mark > 0 else {
            return nil
        }
        let source = components[..<mark].map { $0.hasPrefix("~~") ? String($0.dropFirst()) : $0 }
        let options = String(components[mark].dropFirst())
        guard options.utf8.count <= optionLimit, let object = object(Array(components[(mark + 1)...])) else {
            return nil
        }
        return .title(source: source, options: options, object)
    }

    private static func object(_ rest: [String]) -> Object? {
        switch rest.count {
        case 1 where rest[0] == "master.m3u8": return .master
        case 1 where rest[0] == "title.json": return .facts
        case 1 where rest[0] == "cover": return .cover
        case 1 where rest[0] == "events": return .events
        case 2:
            guard isPlanID(rest[0]), let name = stem(rest[1], ".m3u8"), isRendition(name) else { return nil }
            return .playlist(plan: rest[0], rendition: name)
        case 3 where rest[2] == "script.ass":
            guard isPlanID(rest[0]), number(rest[1], after: SubtitleRendition.prefix).map({ $0 > 0 }) ?? false else {
                return nil
            }
            return .script(plan: rest[0], rendition: rest[1])
        case 3 where number(rest[1], after: "images-").map { $0 > 0 } ?? false:
            guard isPlanID(rest[0]), let object = image(rest[2]) else { return nil }
            return .image(plan: rest[0], rendition: rest[1], object)
        case 3:
            guard isPlanID(rest[0]), isRendition(rest[1]), let role = role(rest[2], of: rest[1]) else { return nil }
            return .segment(plan: rest[0], SegmentKey(rendition: rest[1], role: role))
        default: return nil
        }
    }

    private static func role(_ name: String, of rendition: String) -> Fragment.Role? {
        if rendition.hasPrefix(SubtitleRendition.prefix) {
            return stem(name, ".vtt").flatMap { number($0, after: "seg-") }.map { .media(index: $0) }
        }
        if let stem = stem(name, ".mp4"), let version = number(stem, after: "init-") {
            return .initialization(version: version)
        }
        if let stem = stem(name, ".m4s"), let index = number(stem, after: "seg-") { return .media(index: index) }
        return nil
    }

    private static func image(_ name: String) -> ImageObject? {
        if name == "cues.json" { return .list }
        if let index = stem(name, ".json").flatMap({ number($0, after: "cues-") }) { return .cues(index) }
        return ImageName(name).map { .picture($0) }
    }

    private static func stem(_ name: String, _ suffix: String) -> String? {
        name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : nil
    }

    /// Plain decimal digits without a leading zero, so that an object has one name.
    private static func number(_ text: String, after prefix: String) -> Int? {
        guard text.hasPrefix(prefix) else { return nil }
        let digits = text.dropFirst(prefix.count)
        guard !digits.isEmpty, digits.utf8.count <= 9, digits.utf8.allSatisfy({ (48...57).contains($0) }),
            digits == "0" || digits.first != "0"
        else { return nil }
        return Int(digits)
    }

    private static func isPlanID(_ text: String) -> Bool {
        text.utf8.count == 8 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    private static func isRendition(_ text: String) -> Bool {
        if text == "video" || BridgeName(text) != nil { return true }
        return ["audio-", SubtitleRendition.prefix].contains { number(text, after: $0).map { $0 > 0 } ?? false }
    }
}
