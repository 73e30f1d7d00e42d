internal import CMediaShim
internal import CMicrohttpd
import Sluice
import SluiceCore

/// What the callbacks of libmicrohttpd work on. Its threads call these functions; one exchange never runs twice at once.
final class ServerCore: Sendable {
    let responder: any RequestResponder
    let options: ServerOptions
    let table: PendingTable
    let connections: ConnectionTable
    let log: Logger
    private let vectors: VectorRule
    /// Exchanges that have begun and not ended.
    let inFlight = Locked(0)
    let isStopping = Locked(false)

    init(
        responder: any RequestResponder, options: ServerOptions, table: PendingTable, connections: ConnectionTable,
        log: Logger
    ) {
        self.connections = connections
        self.responder = responder
        self.options = options
        self.table = table
        self.log = log
        vectors = VectorRule(connectionBytes: options.connectionBytes)
    }

    func begin(target: String?) -> Exchange {
        inFlight.withLock { $0 += 1 }
        return Exchange(target: target)
    }

    func end(_ exchange: Exchange) {
        inFlight.withLock { $0 -= 1 }
        if let socket = exchange.state.withLock({ $0.socket }) { connections.expectRequest(socket) }
    }

    /// Takes the exchange one step further; false closes the connection.
    func handle(
        _ exchange: Exchange, _ connection: OpaquePointer, method: String, body: UnsafeRawBufferPointer
    ) -> Bool {
        switch exchange.state.withLock({ $0.phase }) {
        case .begun: return start(exchange, connection, method)
        case .reading where !body.isEmpty:
            return exchange.state.withLock { state in
                guard state.body.count + body.count <= options.bodyBytes else { return false }
                state.body.append(contentsOf: body)
                return true
            }
        case .reading: return dispatch(exchange, connection)
        case .answered(let response): return send(response, exchange, connection)
        case .abandoned: return false
        case .waiting, .queued: return true
        }
    }

    /// Headers are there: refuses what can be refused before the body.
    private func start(_ exchange: Exchange, _ connection: OpaquePointer, _ method: String) -> Bool {
        var fields = HeaderCollector()
        withUnsafeMutablePointer(to: &fields) { fields in
            sluice_mhd_headers(connection, fields) { context, name, nameSize, value, valueSize in
                guard let context, let name, let value else { return }
                context.assumingMemoryBound(to: HeaderCollector.self).pointee.add(
                    UnsafeRawBufferPointer(start: name, count: nameSize),
                    UnsafeRawBufferPointer(start: value, count: valueSize))
            }
        }
        var peer = [CChar](repeating: 0, count: 64)
        sluice_mhd_peer(connection, &peer, peer.count)
        let address = String(decoding: peer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let method = Request.Method(rawValue: method)
        let parsed = exchange.target.flatMap {
            Request(method: method, target: $0, headers: fields.headers, peer: address.isEmpty ? nil : address)
        }
        exchange.state.withLock { state in
            state.phase = .reading
            state.request = parsed ?? Request(method: method, path: "/")
            state.socket = sluice_mhd_socket(connection)
        }
        let refusal: Response?
        if parsed == nil {
            refusal = .badRequest("the request target is not a path")
        } else if fields.isOverflown {
            refusal = .text("more than \(Headers.limit) header fields\n", status: 431)
        } else if ![.get, .head, .post, .options].contains(method) {
            refusal = .text("method \(method) is not supported\n", status: 405)
        } else if let length = fields.headers["Content-Length"], Int(length).map({ $0 > options.bodyBytes }) ?? true {
            refusal = .text("a request body may have \(options.bodyBytes) bytes\n", status: 413)
        } else {
            refusal = nil
        }
        guard var refusal else { return true }
        if refusal.status == 405 { refusal.headers["Allow"] = "GET, HEAD, POST, OPTIONS" }
        return send(refusal, exchange, connection, closing: true)
    }

    /// The request is complete: answers it at once, or suspends the connection while the responder works.
    private func dispatch(_ exchange: Exchange, _ connection: OpaquePointer) -> Bool {
        let request = exchange.state.withLock { state -> Request? in
            state.request?.body = state.body
            state.body = []
            return state.request
        }
        guard let request else { return false }
        if request.method == .options { return send(ResponseWriter.preflight, exchange, connection) }
        if let socket = exchange.state.withLock({ $0.socket }) { connections.wait(socket) }
        guard let token = table.suspend(connection, for: exchange) else {
            return send(Self.stopping, exchange, connection)
        }
        let (responder, table) = (responder, table)
        let task = Task {
            let response = await responder.respond(to: request)
            // Here rather than on a thread that serves sockets.
            table.answer(token, with: Compression.apply(to: response, for: request))
        }
        table.attach(task, to: token)
        return true
    }

    private func send(
        _ response: Response, _ exchange: Exchange, _ connection: OpaquePointer, closing: Bool = false
    ) -> Bool {
        let request = exchange.state.withLock { state in
            state.phase = .queued
            return state.request
        }
        guard let request else { return false }
        connections.sendBody(sluice_mhd_socket(connection), bytes: request.method == .head ? 0 : response.body.size)
        let isLast = closing || isStopping.withLock { $0 }
        return ResponseWriter.queue(response, for: request, on: connection, closing: isLast, vectors: vectors)
    }

    static let stopping = Response.unavailable("the server is stopping", retryAfter: 2)
}

/// Gathers header fields out of a C callback.
private struct HeaderCollector {
    var headers = Headers()
    var isOverflown = false

    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let isKept = headers.append(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        if !isKept { isOverflown = true }
    }
}
