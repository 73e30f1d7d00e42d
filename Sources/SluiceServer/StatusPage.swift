public import Sluice

/// The status page at `/` and its files below `/page/`; every other request goes on to another responder.
///
/// The page plays titles and draws `GET /api/status`, which the other responder answers.
public struct StatusPage: RequestResponder {
    private let next: any RequestResponder

    /// Puts the page before `next`, which is asked for everything that is not the page.
    public init(before next: any RequestResponder) { self.next = next }

    public func respond(to request: Request) async -> Response {
        guard let file = PageFile.named(request.path) else { return await next.respond(to: request) }
        guard request.method == .get || request.method == .head else {
            return Response(status: 405, headers: ["Allow": "GET, HEAD, OPTIONS"])
        }
        var response = Response(type: file.type, body: .bytes(file.bytes))
        response.headers["ETag"] = file.entityTag
        // Asked for again each time, which costs a 304: a page must fit the server that it talks to.
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Content-Security-Policy"] = Self.policy
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response
    }

    /// Nothing from elsewhere. `blob:` is how a media element is given what a script feeds it.
    static let policy = """
        default-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        object-src 'none'
        """
}
