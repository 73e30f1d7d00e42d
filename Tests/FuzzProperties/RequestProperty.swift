import Sluice
import SluiceCore

/// A request target and header fields of any bytes, a line each as on the wire, name an object in one way or nothing,
/// never a file outside, and a range lies inside the body.
enum RequestProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        if let found = beacon(bytes) { return found }
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)[...]
        guard let target = lines.popFirst().flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
        var headers = Headers()
        for line in lines {
            let parts = line.split(separator: 58, maxSplits: 1)
            guard parts.count == 2, let name = String(validating: parts[0], as: UTF8.self),
                let value = String(validating: parts[1].drop { $0 == 32 }, as: UTF8.self)
            else { continue }
            headers.append(name, value)
        }
        if headers.count > Headers.limit { return "\(headers.count) fields" }
        guard let request = Request(method: .get, target: target, headers: headers) else { return nil }
        return path(request) ?? answer(request)
    }

    /// As the body of a beacon: whatever is taken has its bounds.
    private static func beacon(_ bytes: [UInt8]) -> String? {
        guard let beacon = try? ViewerBeacon(bytes) else { return nil }
        if bytes.count > ViewerBeacon.limit { return "a beacon of \(bytes.count) bytes" }
        if let position = beacon.position, !(0...ViewerBeacon.longest).contains(position) { return "at \(position)" }
        return beacon.code.utf8.count <= ViewerBeacon.codeLimit ? nil : "a code of \(beacon.code.utf8.count) bytes"
    }

    private static func path(_ request: Request) -> String? {
        for item in request.query where item.name.utf8.contains(0) || item.value.utf8.contains(0) { return "NUL" }
        guard let components = request.pathComponents else { return nil }
        for component in components where component == "." || component == ".." || component.contains("/") {
            return "the component '\(component)'"
        }
        guard case .title(let source, let options, let object) = OriginPath(components) else { return nil }
        if source.isEmpty || options.utf8.count > OriginPath.optionLimit { return "a title without a source" }
        let written = source.map { $0.hasPrefix("~") ? "~" + $0 : $0 } + ["~" + options] + names(object)
        let text = "/v1/" + written.map { PercentEncoding.encode($0) }.joined(separator: "/")
        guard let again = Request(path: text).pathComponents.flatMap({ OriginPath($0) }),
            again == .title(source: source, options: options, object)
        else { return "'\(text)' names something else" }
        // An object has one name: the decoded components are what is written of it.
        return ["v1"] + written == components ? nil : "\(components) and \(written) name one object"
    }

    private static func names(_ object: OriginPath.Object) -> [String] {
        switch object {
        case .master: return ["master.m3u8"]
        case .events: return ["events"]
        case .facts: return ["title.json"]
        case .cover: return ["cover"]
        case .playlist(let plan, let rendition): return [plan, rendition + ".m3u8"]
        case .segment(let plan, let key):
            switch key.role {
            case .initialization(let version): return [plan, key.rendition, "init-\(version).mp4"]
            case .media(let index):
                let ending = key.rendition.hasPrefix("subs-") ? "vtt" : "m4s"
                return [plan, key.rendition, "seg-\(index).\(ending)"]
            }
        case .script(let plan, let rendition): return [plan, rendition, "script.ass"]
        case .image(let plan, let rendition, let object):
            switch object {
            case .list: return [plan, rendition, "cues.json"]
            case .cues(let index): return [plan, rendition, "cues-\(index).json"]
            case .picture(let name): return [plan, rendition, name.text]
            }
        }
    }

    private static func answer(_ request: Request) -> String? {
        for size in [0, 1, 1_000] {
            var response = Response(type: "video/mp4", body: .bytes([UInt8](repeating: 0, count: size)))
            response.headers["ETag"] = "\"tag\""
            let resolved = ResolvedResponse(response, for: request)
            let range = resolved.range
            if range.lowerBound < 0 || range.upperBound > Int64(size) { return "\(range) of \(size) bytes" }
            switch resolved.status {
            case 200 where range == 0..<Int64(size): break
            case 206 where !range.isEmpty: break
            case 304 where range.isEmpty, 416 where range.isEmpty: break
            default: return "\(resolved.status) with \(range) of \(size) bytes"
            }
        }
        return nil
    }
}
