import Glibc
import SluiceCore
import SluiceTestKit
import Testing

@testable import SluiceTransport

@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPInterruptionTests {
    private func stallingOptions() -> TransportOptions {
        var options = quickOptions()
        options.silenceTimeout = .seconds(60)
        return options
    }

    @Test func interruptEndsAWaitingReadAndResumeGoesOn() async throws {
        let body = FaultyOrigin.noise(200_000)
        let origin = try FaultyOrigin(body: body) { $0.index == 0 ? .stall(after: 1000) : .ok }
        let source = try httpSource(origin.url, stallingOptions())
        let begun = ContinuousClock.now
        async let waiting = onThread {
            failure {
                try source.open()
                _ = try readAll(source)
            }
        }
        #expect(origin.wait { _ in source.statistics.receivedBytes == 1000 })
        source.interrupt()
        #expect(try await waiting?.code == .cancelled)
        #expect(begun.duration(to: .now) < .seconds(5))
        source.resume()
        #expect(try await onThread { try readSome(source, 1000, at: 0) } == Array(body[..<1000]))
        source.close()
        #expect(origin.wait { $0.openConnections == 0 })
    }

    @Test func openingCanBeInterruptedAndTimesOut() async throws {
        let origin = try FaultyOrigin(body: [1, 2, 3]) { _ in .stall(after: 0) }
        let url = origin.url
        var options = stallingOptions()
        options.openTimeout = .milliseconds(300)
        let opened = options
        // A stalled body still answers: only a silent head keeps the opening waiting.
        let silent = try SilentListener()
        let timedOut = try await onThread { failure { _ = try Transport.open(silent.url, options: opened) } }
        #expect(timedOut?.code == .timedOut)
        let handle = Locked<(any ByteSource)?>(nil)
        async let waiting = onThread {
            failure {
                _ = try Transport.open(silent.url, options: stallingOptions()) { source in
                    handle.withLock { $0 = source }
                }
            }
        }
        #expect(origin.wait { _ in handle.withLock { $0 != nil } })
        handle.withLock { $0 }?.interrupt()
        #expect(try await waiting?.code == .cancelled)
        #expect(failure { _ = try SourceLocator(url) } == nil)
    }

    @Test func aReadDeadlineLatches() async throws {
        let origin = try FaultyOrigin(body: FaultyOrigin.noise(100_000)) { _ in .stall(after: 1000) }
        let source = try httpSource(origin.url, stallingOptions())
        try await onThread {
            try source.open()
            source.setReadDeadline(.now + .milliseconds(100))
            #expect(failure { _ = try readAll(source) }?.code == .timedOut)
            #expect(failure { _ = try readSome(source, 10, at: 0) }?.code == .timedOut, "even for bytes that are there")
            source.setReadDeadline(nil)
            #expect(try readSome(source, 10, at: 0).count == 10)
        }
        source.close()
    }

    @Test func closingOrForgettingASourceClosesItsConnection() async throws {
        let origin = try FaultyOrigin(body: FaultyOrigin.noise(50_000_000))
        let url = origin.url
        try await onThread {
            for index in 0..<20 {
                let source = try Transport.open(url, options: quickOptions())
                _ = try readSome(source, 1000, at: 0)
                if index.isMultiple(of: 2) { source.close() }
            }
        }
        #expect(origin.acceptedConnections == 20)
        #expect(origin.wait { $0.openConnections == 0 })
        #expect(origin.wait { _ in CurlLoop.shared.load.active == 0 })
    }

    @Test func aHundredSourcesShareTheThread() async throws {
        let body = FaultyOrigin.noise(400_000)
        let origin = try FaultyOrigin(body: body) { $0.index.isMultiple(of: 3) ? .drop(after: 150_000) : .ok }
        let url = origin.url
        var options = quickOptions()
        options.silenceTimeout = .seconds(20)
        let used = options
        let equal = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { try await onThread { try readAll(Transport.open(url, options: used)) == body } }
            }
            var equal = 0
            for try await isEqual in group where isEqual { equal += 1 }
            return equal
        }
        #expect(equal == 100)
    }

    /// One request at a time for an origin the host declared so; the second waits for the first to end.
    @Test func declaredOriginLimitIsKept() async throws {
        let body = FaultyOrigin.noise(300_000)
        let most = Locked((now: 0, peak: 0))
        let origin = try FaultyOrigin(body: body) { _ in
            most.withLock { $0.peak += 1 }
            return .trickle(bytes: 100_000, milliseconds: 10)
        }
        let url = origin.url
        var options = quickOptions()
        options.originLimit = 1
        options.silenceTimeout = .seconds(20)
        let used = options
        let equal = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<5 {
                group.addTask { try await onThread { try readAll(Transport.open(url, options: used)) == body } }
            }
            var equal = 0
            for try await isEqual in group where isEqual { equal += 1 }
            return equal
        }
        #expect(equal == 5)
        #expect(origin.acceptedConnections == 1, "one connection served them one after the other")
    }

    @Test func theThreadEndsWhenIdleAndComesBack() async throws {
        let loop = CurlLoop(idleTimeout: .milliseconds(50))
        let body = FaultyOrigin.noise(10_000)
        let origin = try FaultyOrigin(body: body)
        for _ in 0..<2 {
            let source = try HTTPSource(WebURL(origin.url), headers: [], options: quickOptions(), loop: loop)
            #expect(try await onThread { try readAll(source) } == body)
            #expect(origin.wait { _ in loop.shared.withLock { !$0.isRunning } })
            #expect(origin.wait { $0.openConnections == 0 }, "kept connections go with the thread")
        }
        loop.stop()
        let late = try HTTPSource(WebURL(origin.url), headers: [], options: quickOptions(), loop: loop)
        #expect(try await onThread { failure { try late.open() } }?.code == .exhausted)
    }
}

/// Accepts connections in the kernel and never says a word.
private final class SilentListener: Sendable {
    let url: String
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try #require(bind(descriptor, address, length) == 0)
                try #require(listen(descriptor, 16) == 0)
                try #require(getsockname(descriptor, address, &length) == 0)
            }
        }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
    }

    deinit { Glibc.close(descriptor) }
}
