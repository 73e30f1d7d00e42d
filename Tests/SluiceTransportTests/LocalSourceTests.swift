import Glibc
import SluiceCore
import SluiceTestKit
import Testing

@testable import SluiceTransport

final class LocalSourceTests {
    private let folder: String

    init() throws {
        var template = Array("/tmp/sluice-transport-XXXXXX".utf8CString)
        folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    deinit {
        for name in ["a", "b", "fifo", "socket"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    private func write(_ bytes: [UInt8], to name: String) throws -> String {
        let path = "\(folder)/\(name)"
        let file = try #require(fopen(path, "wb"))
        defer { fclose(file) }
        #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
        return path
    }

    @Test func fileGivesItsBytesAndIdentity() throws {
        let body = FaultyOrigin.noise(3_500_000)
        let path = try write(body, to: "a")
        let source = try Transport.open("file://\(path)")
        var info = stat()
        stat(path, &info)
        let time = Int64(info.st_mtim.tv_sec) * 1_000_000_000 + Int64(info.st_mtim.tv_nsec)
        #expect(source.size == 3_500_000)
        #expect(source.isSeekable)
        #expect(source.identity == "3500000-\(time)-\(info.st_ino)")
        #expect(try readAll(source) == body)
        #expect(try readSome(source, 7, at: 3_499_995) == Array(body.suffix(5)))
        #expect(try readSome(source, 7, at: .max).isEmpty)
        #expect(failure { _ = try readSome(source, 1, at: -1) }?.code == .invalidOption)
    }

    @Test func onlyFilesAndBlockDevicesAreOpened() throws {
        mkfifo("\(folder)/fifo", 0o600)
        #expect(failure { _ = try Transport.open("\(folder)/none") }?.code == .notFound)
        #expect(failure { _ = try Transport.open(folder) }?.code == .unsupported)
        #expect(failure { _ = try Transport.open("\(folder)/fifo") }?.code == .unsupported)
        #expect(failure { _ = try Transport.open("/dev/zero") }?.code == .unsupported)
        let path = try write([1], to: "b")
        chmod(path, 0)
        // Root reads everything.
        if geteuid() != 0 { #expect(failure { _ = try Transport.open(path) }?.code == .accessDenied) }
    }

    @Test func aFileThatShrinksOrIsRewrittenIsAnotherSource() throws {
        let path = try write([UInt8](repeating: 1, count: 1000), to: "a")
        let grown = try FileSource(path: path)
        let file = try #require(fopen(path, "ab"))
        fwrite([2], 1, 1, file)
        fclose(file)
        #expect(try readAll(grown).count == 1000, "a recording goes on; the source ends where it ended at opening")

        let source = try FileSource(path: path)
        truncate(path, 500)
        #expect(failure { _ = try readSome(source, 1, at: 0) }?.code == .sourceChanged)

        let other = try FileSource(path: path)
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        utimensat(AT_FDCWD, path, &times, 0)
        #expect(failure { _ = try readSome(other, 1, at: 0) }?.code == .sourceChanged)
    }

    @Test func stoppedSourcesThrowUntilResumed() throws {
        let path = try write([1, 2, 3], to: "a")
        let sources: [any ByteSource] = [
            try FileSource(path: path), MemorySource([1, 2, 3]), HostSource(ArrayReader([1, 2, 3])),
        ]
        for source in sources {
            source.interrupt()
            #expect(failure { _ = try readAll(source) }?.code == .cancelled)
            source.resume()
            #expect(try readAll(source) == [1, 2, 3])
            source.close()
            source.close()
            source.resume()
            #expect(failure { _ = try readAll(source) }?.code == .cancelled)
        }
    }

    @Test func hostReaderIsAskedForItsSizeAndPlacedOnce() throws {
        let body = FaultyOrigin.noise(10_000)
        let reader = ArrayReader(body)
        let source = HostSource(reader)
        #expect(reader.calls == ["seek 0 65536", "seek 0 0"])
        #expect(source.size == 10_000)
        #expect(source.isSeekable)
        #expect(try readAll(source, piece: 4000) == body)
        #expect(reader.calls.filter { $0.hasPrefix("seek") }.count == 2, "sequential reads do not seek")
        #expect(try readSome(source, 10, at: 500) == Array(body[500..<510]))
        #expect(reader.calls.last { $0.hasPrefix("seek") } == "seek 500 0")
        source.close()
        source.close()
        #expect(reader.calls.last == "close")
    }

    @Test func hostReaderErrorsAreNoEnd() throws {
        let body = [UInt8](repeating: 7, count: 100)
        let failing = HostSource(ArrayReader(body, failsAt: 50))
        #expect(failure { _ = try readAll(failing, piece: 10) }?.code == .transport)
        let short = HostSource(ArrayReader(body, claims: 200))
        #expect(failure { _ = try readAll(short) }?.code == .transport)
        let pipe = HostSource(ArrayReader(body, seeks: false))
        #expect(pipe.size == nil)
        #expect(!pipe.isSeekable)
        #expect(try readAll(pipe) == body)
        #expect(failure { _ = try readSome(pipe, 1, at: 3) }?.code == .unsupported)
    }

    @Test func faultyTransportDoesWhatItIsTold() throws {
        let body = FaultyOrigin.noise(1000)
        let base = MemorySource(body)
        let lost = NodeFailure(.transport, "x")
        let failing = FaultyTransport(base, .fails(at: 600, lost), .shortReads(70))
        #expect(try readSome(failing, 600, at: 0) == Array(body[..<600]))
        #expect(failure { _ = try readAll(failing) } == lost)
        #expect(try readAll(FaultyTransport(base, .truncated(at: 10))).count == 10)
        #expect(FaultyTransport(base, .claimsSize(nil)).size == nil)
        #expect(!FaultyTransport(base, .notSeekable).isSeekable)
    }
}

/// A host reader over an array that writes down how it is called.
final class ArrayReader: HostReader {
    private let bytes: [UInt8]
    private let failsAt: Int?
    private let claimed: Int
    private let seeks: Bool
    private let state = Locked((position: 0, calls: [String]()))

    init(_ bytes: [UInt8], failsAt: Int? = nil, claims: Int? = nil, seeks: Bool = true) {
        self.bytes = bytes
        self.failsAt = failsAt
        claimed = claims ?? bytes.count
        self.seeks = seeks
    }

    var calls: [String] { state.withLock { $0.calls } }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock { state in
            if let failsAt, state.position >= failsAt { return -5 }
            let count = min(buffer.count, bytes.count - state.position)
            buffer.copyBytes(from: bytes[state.position..<(state.position + count)])
            state.position += count
            return count
        }
    }

    func seek(to offset: Int64, whence: HostWhence) -> Int64 {
        state.withLock { state in
            state.calls.append("seek \(offset) \(whence.rawValue)")
            guard seeks else { return -1 }
            if whence == .size { return Int64(claimed) }
            state.position = min(Int(offset), bytes.count)
            return offset
        }
    }

    func close() { state.withLock { $0.calls.append("close") } }
}
