import Sluice
import SluiceCore

/// A server of the host's own: one request a connection.
struct HTTPLoop: Sendable {
    let listener: Socket
    let responder: any RequestResponder

    /// Answers until ``Socket/shutDown()`` of the listener.
    func run() async throws {
        while let client = try await listener.accept() {
            let responder = responder
            Task {
                guard let request = await client.request() else { return }
                let response = await responder.respond(to: request)
                await client.send(ResolvedResponse(response, for: request), body: request.method != .head)
            }
        }
    }
}

extension Socket {
    /// Reads line and headers of a request; nil where there is none.
    func request() async -> Request? {
        guard let lines = await head()?.split(separator: "\r\n"), let words = lines.first?.split(separator: " "),
            words.count == 3
        else { return nil }
        var headers = Headers()
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.append(String(line[..<colon]), String(value))
        }
        return Request(
            method: Request.Method(rawValue: String(words[0])), target: String(words[1]), headers: headers)
    }

    func send(_ response: ResolvedResponse, body: Bool) async {
        var head = "HTTP/1.1 \(response.status) \r\nContent-Length: \(response.range.count)\r\nConnection: close\r\n"
        for field in response.headers { head += "\(field.name): \(field.value)\r\n" }
        await write(Array((head + "\r\n").utf8))
        guard body else { return }
        let bytes = response.body.bytes
        await write(Array(bytes[response.range.asOffsets.clamped(to: bytes.indices)]))
    }
}

extension Response.Body {
    /// All in one piece; a server for more than a few viewers sends piece by piece.
    fileprivate var bytes: [UInt8] {
        switch self {
        case .none: []
        case .bytes(let bytes): bytes
        case .chunks(let chunks): chunks.joined()
        case .open(let file): file.contents() ?? []
        case .file(let path, _): (try? OpenFile(path: path))?.contents() ?? []
        }
    }
}

extension Range<Int64> {
    fileprivate var asOffsets: Range<Int> { Int(lowerBound)..<Int(upperBound) }
}
