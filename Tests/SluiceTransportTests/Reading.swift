import Glibc
import SluiceCore
import SluiceTestKit

@testable import SluiceTransport

/// The bytes from `offset` to the end, read in pieces of `piece`.
func readAll(_ source: any ByteSource, from offset: Int64 = 0, piece: Int = 100_000) throws -> [UInt8] {
    var out: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: piece)
    while true {
        let place = offset + Int64(out.count)
        let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0, at: place) }
        if count == 0 { return out }
        out += buffer[..<count]
    }
}

/// Up to `count` bytes of one or more reads.
func readSome(_ source: any ByteSource, _ count: Int, at offset: Int64) throws -> [UInt8] {
    var out = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
        let got = try out.withUnsafeMutableBytes {
            try source.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[done...]), at: offset + Int64(done))
        }
        if got == 0 { break }
        done += got
    }
    return Array(out[..<done])
}

/// Options with delays of milliseconds, so that every retry of a ladder fits a test.
func quickOptions() -> TransportOptions {
    var options = TransportOptions()
    options.retry.unit = .milliseconds(1)
    options.retry.longestRetryAfter = .milliseconds(20)
    options.silenceTimeout = .milliseconds(300)
    options.openTimeout = .seconds(20)
    return options
}

func httpSource(_ url: String, _ options: TransportOptions = quickOptions()) throws -> HTTPSource {
    try HTTPSource(WebURL(url), headers: [], options: options)
}

/// What `body` throws, or nil.
func failure(_ body: () throws -> Void) -> NodeFailure? {
    do {
        try body()
        return nil
    } catch { return error as? NodeFailure }
}

/// Runs `body` on a thread that may block and gives its result.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let box = Unmanaged.passRetained(
            ThreadBody { continuation.resume(with: Swift.Result(catching: body)) })
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { box in
                pthread_detach(pthread_self())
                if let box { Unmanaged<ThreadBody>.fromOpaque(box).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        precondition(code == 0, "no thread")
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
