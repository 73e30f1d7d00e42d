internal import Glibc
import SluiceCore

/// An HTTP origin on the loopback interface that misbehaves on request.
///
/// Blocking sockets on threads of its own, at most ``connectionLimit`` at a time. ``stop()`` (or letting go of it) closes
/// every socket and waits for the threads.
public final class FaultyOrigin: Sendable {
    /// One request as it arrived.
    public struct Request: Sendable, Hashable {
        /// 0 for the first one this origin got.
        public var index: Int
        public var method: String
        public var path: String
        /// Names lowercased.
        public var headers: [String: String]
        /// First byte of its `Range`; nil without one.
        public var rangeStart: Int?
    }

    /// How a request is answered.
    public enum Mode: Sendable, Hashable {
        /// 206 to a range, 200 without one.
        case ok
        /// 200 and the whole body to everything.
        case noRange
        /// 200 and the whole body without any length, ended by closing.
        case unsized
        /// 206 in chunked framing.
        case chunked
        /// 206 in chunked framing that ends properly after so many bytes, fewer than promised.
        case shortChunked(Int)
        /// 206 with at most so many bytes, and a header that says so.
        case clipped(Int)
        /// 206 in chunked framing with more bytes than its `Content-Range`.
        case longBody(extra: Int)
        /// 206 with the right `Content-Range`, but the whole body from byte 0 and its length.
        case wholeBody
        case status(Int, retryAfter: Int? = nil)
        case redirect(to: String)
        /// Resets the connection after so many body bytes.
        case drop(after: Int)
        /// Body in pieces of so many bytes with a pause between.
        case trickle(bytes: Int, milliseconds: Int)
        /// Goes silent after so many body bytes and keeps the connection.
        case stall(after: Int)
        /// 206 whose `Content-Range` starts so many bytes too late.
        case shifted(by: Int)
        /// 206 without a total: `bytes 0-9/*`.
        case noTotal
        /// 200 with a small HTML page.
        case html
        /// As `ok`, with another entity tag.
        case tagged(String)
        /// As `ok`, with a `Content-Encoding` nobody asked for.
        case coded(String)
        /// A header of so many bytes.
        case hugeHeader(Int)
    }

    /// Connections served at once; further ones are closed at once.
    public static let connectionLimit = 256

    let core: OriginCore

    /// `plan` chooses the answer to each request and runs on a thread of the origin.
    public init(body: [UInt8], plan: @escaping @Sendable (Request) -> Mode = { _ in .ok }) throws {
        core = try OriginCore(body: body, plan: plan)
        core.begin { $0.accept() }
    }

    deinit { stop() }

    public var port: Int { core.port }
    public var url: String { "http://127.0.0.1:\(port)/media.bin" }
    public var requests: [Request] { core.state.withLock { $0.requests } }
    public var requestCount: Int { core.state.withLock { $0.requests.count } }
    public var acceptedConnections: Int { core.state.withLock { $0.accepted } }
    /// Connections open at this moment.
    public var openConnections: Int { core.state.withLock { $0.open.count } }
    /// Body bytes handed to the kernel.
    public var bytesWritten: Int { core.state.withLock { $0.written } }

    /// Blocks until `condition` holds; false after `seconds`.
    public func wait(seconds: Int = 10, until condition: (FaultyOrigin) -> Bool) -> Bool {
        for _ in 0..<(seconds * 200) {
            if condition(self) { return true }
            usleep(5_000)
        }
        return condition(self)
    }

    /// Closes every connection and waits up to five seconds for the threads. Idempotent.
    public func stop() { core.stop() }

    /// Bytes that look random and are the same for the same seed.
    public static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var value = seed &* 0x9e37_79b9_7f4a_7c15 | 1
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            for index in 0..<count {
                value ^= value << 13
                value ^= value >> 7
                value ^= value << 17
                buffer[index] = UInt8(truncatingIfNeeded: value >> 24)
            }
            used = count
        }
    }
}
