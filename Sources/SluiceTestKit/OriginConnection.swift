internal import Glibc
import SluiceCore

/// One connection of a ``FaultyOrigin``, served with blocking calls until it closes.
struct OriginConnection {
    let core: OriginCore
    let descriptor: Int32

    /// Longest request header taken.
    private static let longestHead = 64 << 10

    func serve() {
        while let request = receive() {
            guard answer(request, core.plan(request)) else { return }
        }
    }

    private func receive() -> FaultyOrigin.Request? {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while head.count < Self.longestHead {
            guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
            head.append(byte)
            if head.suffix(4).elementsEqual([13, 10, 13, 10]) { break }
        }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        guard let words = lines.first?.split(separator: " "), words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let start = headers["range"]?.dropFirst("bytes=".count).split(separator: "-").first.flatMap { Int($0) }
        return core.state.withLock { state in
            let request = FaultyOrigin.Request(
                index: state.requests.count, method: String(words[0]), path: String(words[1]), headers: headers,
                rangeStart: start)
            state.requests.append(request)
            return request
        }
    }

    /// True when the connection can take another request.
    private func answer(_ request: FaultyOrigin.Request, _ mode: FaultyOrigin.Mode) -> Bool {
        let total = core.body.count
        let start = min(request.rangeStart ?? 0, total)
        let rest = core.body[start...]
        if let asked = request.rangeStart, asked >= total, needsRange(mode) {
            return send(
                "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */\(total)\r\nContent-Length: 0\r\n\r\n")
        }
        let line = request.rangeStart == nil ? "200 OK" : "206 Partial Content"
        let range = request.rangeStart == nil ? "" : "Content-Range: bytes \(start)-\(total - 1)/\(total)\r\n"
        let length = "Content-Length: \(rest.count)\r\n"
        let tag = "ETag: \"v1\"\r\nAccept-Ranges: bytes\r\n"
        let good = "HTTP/1.1 \(line)\r\n\(tag)\(range)"

        switch mode {
        case .ok: return send("\(good)\(length)\r\n") && send(rest)
        case .noRange: return send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n") && send(core.body[...])
        case .unsized:
            _ = send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n") && send(core.body[...])
            return false
        case .chunked: return send("\(good)Transfer-Encoding: chunked\r\n\r\n") && sendChunked(rest)
        case .shortChunked(let count):
            return send("\(good)Transfer-Encoding: chunked\r\n\r\n") && sendChunked(rest.prefix(count))
        case .clipped(let count):
            let part = rest.prefix(count)
            let range = "Content-Range: bytes \(start)-\(start + part.count - 1)/\(total)\r\n"
            return send("HTTP/1.1 206 Partial Content\r\n\(tag)\(range)Content-Length: \(part.count)\r\n\r\n")
                && send(part)
        case .longBody(let extra):
            let tail = [UInt8](repeating: 0xee, count: extra)
            return send("\(good)Transfer-Encoding: chunked\r\n\r\n") && sendChunked((rest + tail)[...])
        case .wholeBody: return send("\(good)Content-Length: \(total)\r\n\r\n") && send(core.body[...])
        case .status(let status, let seconds):
            let retry = seconds.map { "Retry-After: \($0)\r\n" } ?? ""
            return send("HTTP/1.1 \(status) Refused\r\n\(retry)Content-Length: 3\r\n\r\nno\n")
        case .redirect(let target):
            return send("HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")
        case .drop(let count):
            if send("\(good)\(length)\r\n"), send(rest.prefix(count)) { flushThenReset() }
            return false
        case .trickle(let bytes, let milliseconds):
            guard send("\(good)\(length)\r\n") else { return false }
            var left = rest
            while !left.isEmpty {
                guard send(left.prefix(bytes)) else { return false }
                left = left.dropFirst(bytes)
                usleep(UInt32(milliseconds) * 1000)
            }
            return true
        case .stall(let count):
            guard send("\(good)\(length)\r\n"), send(rest.prefix(count)) else { return false }
            // Until the peer or `stop()` closes.
            var byte: UInt8 = 0
            _ = recv(descriptor, &byte, 1, 0)
            return false
        case .shifted(let offset):
            let range = "Content-Range: bytes \(start + offset)-\(total - 1)/\(total)\r\n"
            return send("HTTP/1.1 206 Partial Content\r\n\(range)Content-Length: \(rest.count)\r\n\r\n") && send(rest)
        case .noTotal:
            let range = "Content-Range: bytes \(start)-\(total - 1)/*\r\n"
            return send("HTTP/1.1 206 Partial Content\r\n\(tag)\(range)\(length)\r\n") && send(rest)
        case .html:
            let page = "<html><body>Please log in</body></html>"
            return send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(page.count)\r\n\r\n\(page)"
            )
        case .tagged(let other):
            return send("HTTP/1.1 \(line)\r\nETag: \"\(other)\"\r\n\(range)\(length)\r\n") && send(rest)
        case .coded(let coding): return send("\(good)Content-Encoding: \(coding)\r\n\(length)\r\n") && send(rest)
        case .hugeHeader(let count):
            let filler = String(repeating: "x", count: 1000)
            var head = "HTTP/1.1 \(line)\r\n\(range)\(length)"
            for index in 0..<(count / 1000) { head += "X-Filler-\(index): \(filler)\r\n" }
            return send("\(head)\r\n") && send(rest)
        }
    }

    private func needsRange(_ mode: FaultyOrigin.Mode) -> Bool {
        switch mode {
        case .noRange, .unsized, .status, .redirect, .html: false
        default: true
        }
    }

    private func sendChunked(_ bytes: ArraySlice<UInt8>) -> Bool {
        var left = bytes
        while !left.isEmpty {
            let piece = left.prefix(48_000)
            guard send("\(String(piece.count, radix: 16))\r\n"), send(piece), send("\r\n") else { return false }
            left = left.dropFirst(piece.count)
        }
        return send("0\r\n\r\n")
    }

    private func send(_ text: String) -> Bool { sendAll(Array(text.utf8)[...]) }

    private func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        var left = bytes
        while !left.isEmpty {
            let piece = left.prefix(64 << 10)
            guard sendAll(piece) else { return false }
            core.state.withLock { $0.written += piece.count }
            left = left.dropFirst(piece.count)
        }
        return true
    }

    private func sendAll(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let count = Glibc.send(
                    descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, Int32(MSG_NOSIGNAL))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    /// Lets the peer have what was sent, then ends without the rest.
    private func flushThenReset() {
        shutdown(descriptor, Int32(SHUT_WR))
    }
}
