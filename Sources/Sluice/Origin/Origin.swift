import Glibc
import SluiceCore
import SluiceGraph

/// Answers requests: playlists from plans, segments from the store or from a producer. Knows no socket.
public struct Origin: RequestResponder {
    static let playlistType = "application/vnd.apple.mpegurl"

    /// Seconds that addresses in reports are good for.
    private static let validity: Int64 = 86_400

    let engine: Engine
    /// Seconds since 1970; signatures expire by it.
    let wallClock: @Sendable () -> Int64

    public init(engine: Engine) {
        self.init(engine: engine, wallClock: { Int64(time(nil)) })
    }

    init(engine: Engine, wallClock: @escaping @Sendable () -> Int64) {
        self.engine = engine
        self.wallClock = wallClock
    }

    public func respond(to request: Request) async -> Response {
        let response = await answer(request)
        engine.requests.note(response)
        return response
    }

    private func answer(_ request: Request) async -> Response {
        let path = request.pathComponents.flatMap { OriginPath($0) }
        guard
            request.method == .get || request.method == .head || (request.method == .post && path?.takesBeacons == true)
        else {
            return Response(status: 405, headers: ["Allow": "GET, HEAD, OPTIONS"])
        }
        guard let path else { return .notFound("no such object") }
        if let scope = path.scope, !engine.options.access.admits(request, to: scope, now: wallClock()) {
            var response = Response.text("a token or a signed address is needed\n", status: 401)
            response.headers["WWW-Authenticate"] = "Bearer"
            response.headers["Cache-Control"] = "no-store"
            return response
        }
        switch path {
        case .status: return await status()
        case .health: return .text("ok\n")
        case .metrics:
            let text = await MetricsReport(engine).text
            return fresh(.text(text, type: "text/plain; version=0.0.4; charset=utf-8"))
        case .statusReport:
            let report = await StatusReport(
                engine, token: AccessPolicy.viewerToken(request), expiry: wallClock() + Self.validity)
            return fresh(Response(type: "application/json", body: .bytes(Array(report.text.utf8))))
        case .title(let source, let options, let object): return await title(request, source, options, object)
        }
    }

    private func fresh(_ response: Response) -> Response {
        var response = response
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    private func status() async -> Response {
        var lines = ["<!doctype html><meta charset=utf-8><title>Sluice</title><h1>Sluice</h1><ul>"]
        for file in engine.catalog.files {
            let name = file.name.map { $0 == "<" ? "&lt;" : ($0 == "&" ? "&amp;" : "\($0)") }
            lines.append("<li><a href=\"\(StatusReport.master(file.components))\">\(name.joined())</a>")
        }
        lines.append("</ul>")
        return .text(lines.joined(separator: "\n"), type: "text/html; charset=utf-8")
    }

    /// The status that tells a client what it can do about a failure.
    static func refusal(_ error: any Error) -> Response {
        if let invalid = error as? GraphValidationError { return .text("\(invalid)\n", status: 500) }
        if error is CancellationError { return .unavailable("the server is busy", retryAfter: 2) }
        guard let failure = error as? NodeFailure else { return .text("\(error)\n", status: 500) }
        let text = failure.description
        switch failure.code {
        case .notFound: return .notFound(text)
        case .accessDenied: return .text(text + "\n", status: 403)
        case .invalidOption: return .badRequest(text)
        case .unsupported, .notMedia, .malformedInput: return .text(text + "\n", status: 415)
        case .transport, .timedOut, .limitExceeded, .exhausted, .cancelled: return .unavailable(text, retryAfter: 2)
        case .sourceChanged: return .gone(text)
        default: return .text(text + "\n", status: 500)
        }
    }
}

extension OriginPath {
    /// Whether it is there to be posted to.
    var takesBeacons: Bool {
        if case .title(_, _, .events) = self { true } else { false }
    }

    /// What a signature must admit to; nil for what everybody may see.
    var scope: AccessPolicy.Scope? {
        switch self {
        case .status, .health: nil
        case .metrics, .statusReport: .everything
        case .title(let source, _, _): .title(source)
        }
    }
}
