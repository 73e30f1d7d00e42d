import SluiceBitstream
import SluiceCore
import SluiceGraph
import SluiceNodes

/// Answers requests: playlists from plans, segments from the store or from a producer. Knows no socket.
public struct Origin: RequestResponder {
    static let playlistType = "application/vnd.apple.mpegurl"

    private let engine: Engine

    public init(engine: Engine) { self.engine = engine }

    public func respond(to request: Request) async -> Response {
        guard request.method == .get || request.method == .head else {
            return Response(status: 405, headers: ["Allow": "GET, HEAD, OPTIONS"])
        }
        guard let components = request.pathComponents, let path = OriginPath(components) else {
            return .notFound("no such object")
        }
        switch path {
        case .status: return await status()
        case .health: return .text("ok\n")
        case .statusReport:
            var response = Response(
                type: "application/json", body: .bytes(Array(await StatusReport(engine).text.utf8)))
            response.headers["Cache-Control"] = "no-store"
            return response
        case .title(let source, let options, let object): return await answer(request, source, options, object)
        }
    }

    private func answer(
        _ request: Request, _ source: [String], _ options: String, _ object: OriginPath.Object
    ) async -> Response {
        do {
            let file = try engine.library.resolve(source)
            let shape = try shape(options)
            let title = try await engine.title(file, name: source.joined(separator: "/"), shape: shape)
            switch object {
            case .master: return playlist(try TitlePlaylists(title: title).master(), isImmutable: false)
            case .facts: return Response(type: "application/json", body: .bytes(Array(TitleReport(title).text.utf8)))
            case .playlist(let plan, let rendition):
                guard plan == title.planID else { return stale() }
                guard let text = TitlePlaylists(title: title).media(rendition) else {
                    return .notFound("the title has no playlist '\(rendition)'")
                }
                return playlist(text, isImmutable: true)
            case .segment(let plan, let key):
                guard plan == title.planID else { return stale() }
                return await segment(request, title, key)
            }
        } catch {
            return Self.refusal(error)
        }
    }

    private func segment(_ request: Request, _ title: Title, _ key: SegmentKey) async -> Response {
        guard let entry = title.layout.entry(key.rendition) else {
            return .notFound("the title has no rendition '\(key.rendition)'")
        }
        let type = key.rendition == "video" ? "video/mp4" : "audio/mp4"
        switch key.role {
        case .initialization(let version) where !(0..<entry.versions).contains(version):
            return .notFound("no such initialization section")
        case .media(let index) where !title.plan.segments.indices.contains(index):
            return .notFound("segment \(index) is outside the plan of \(title.plan.segments.count)")
        default: break
        }
        guard let chunks = await title.producer.fetch(key, deadline: engine.options.segmentDeadline) else {
            if let failure = title.producer.failure { return .gone(failure.description) }
            return .unavailable("the segment is not ready", retryAfter: 1)
        }
        engine.viewers.note(request, title: title.name, key, bytes: Int64(chunks.byteTotal))
        var response = Response(type: type, body: .chunks(chunks))
        response.headers["Cache-Control"] = "max-age=31536000, immutable"
        response.headers["ETag"] = "\"\(title.planID)-\(key.entityTag)\""
        return response
    }

    private func playlist(_ text: String, isImmutable: Bool) -> Response {
        var response = Response(type: Self.playlistType, body: .bytes(Array(text.utf8)))
        response.headers["Cache-Control"] = isImmutable ? "max-age=31536000, immutable" : "no-cache"
        return response
    }

    private func stale() -> Response { .gone("this plan is not current; load the master playlist again") }

    /// `key=value` pairs in sorted order; an empty text means the defaults.
    private func shape(_ options: String) throws(NodeFailure) -> Title.Shape {
        var shape = Title.Shape.renditions
        for pair in options.split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == "shape", let wanted = Title.Shape(rawValue: String(parts[1])) else {
                throw NodeFailure(
                    .invalidOption, "option '\(pair)' is not known; expected shape=renditions or shape=muxed")
            }
            shape = wanted
        }
        return shape
    }

    private func status() async -> Response {
        var lines = ["<!doctype html><meta charset=utf-8><title>Sluice</title><h1>Sluice</h1><ul>"]
        for components in engine.library.files() {
            let path = components.map { PercentEncoding.encode($0.hasPrefix("~") ? "~" + $0 : $0) }
                .joined(separator: "/")
            let name = components.joined(separator: "/").map { $0 == "<" ? "&lt;" : ($0 == "&" ? "&amp;" : "\($0)") }
            lines.append("<li><a href=\"v1/\(path)/~/master.m3u8\">\(name.joined())</a>")
        }
        lines.append("</ul>")
        return .text(lines.joined(separator: "\n"), type: "text/html; charset=utf-8")
    }

    /// The status that tells a client what it can do about a failure.
    static func refusal(_ error: any Error) -> Response {
        if let invalid = error as? GraphValidationError { return .text("\(invalid)\n", status: 500) }
        guard let failure = error as? NodeFailure else { return .text("\(error)\n", status: 500) }
        let text = failure.description
        switch failure.code {
        case .notFound: return .notFound(text)
        case .accessDenied: return .text(text + "\n", status: 403)
        case .invalidOption: return .badRequest(text)
        case .unsupported, .notMedia, .malformedInput: return .text(text + "\n", status: 415)
        case .transport, .timedOut, .limitExceeded, .exhausted: return .unavailable(text, retryAfter: 2)
        case .sourceChanged: return .gone(text)
        default: return .text(text + "\n", status: 500)
        }
    }
}

extension SegmentKey {
    var entityTag: String {
        switch role {
        case .initialization(let version): "\(rendition)-init-\(version)"
        case .media(let index): "\(rendition)-\(index)"
        }
    }
}
