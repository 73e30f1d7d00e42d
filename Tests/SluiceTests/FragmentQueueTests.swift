import Foundation
import SluiceCore
import SluiceTransport
import Testing

@testable import Sluice
@testable import SluiceDataflow

@Suite struct FragmentQueueTests {
    private func fragment(_ index: Int, bytes: Int) -> Fragment {
        Fragment(
            rendition: "video", role: .media(index: index), start: nil, duration: nil,
            chunks: [ByteChunk([UInt8](repeating: 7, count: bytes))])
    }

    /// A fragment takes up memory until it is written, not until somebody begins to.
    @Test func whatIsBeingWrittenCounts() async throws {
        let queue = FragmentQueue(limit: 100)
        let publisher = Waker()
        queue.attach(publisher)
        try queue.publish(fragment(0, bytes: 101))
        #expect(!queue.admits(index: 1))
        #expect(await queue.waits())
        let index = queue.take { fragment in
            #expect(!queue.admits(index: 1) && !publisher.isSignalled)
            return fragment.role
        }
        #expect(index == .media(index: 0))
        #expect(queue.admits(index: 1) && publisher.isSignalled)
        #expect(queue.take { $0.role } == nil)
    }

    @Test func aFailedWriteGivesItsBytesBack() throws {
        let queue = FragmentQueue(limit: 100)
        try queue.publish(fragment(0, bytes: 101))
        #expect(throws: NodeFailure.self) {
            try queue.take { (_) throws(NodeFailure) in throw NodeFailure(.exhausted, "the disk is full") }
        }
        #expect(queue.admits(index: 1))
    }

    @Test func whatWaitsIsHandedOutAfterTheEnd() async throws {
        let queue = FragmentQueue()
        for index in 0..<3 { try queue.publish(fragment(index, bytes: 1)) }
        queue.close()
        var roles: [Fragment.Role] = []
        while await queue.waits() {
            while let role = queue.take({ $0.role }) { roles.append(role) }
        }
        #expect(roles == (0..<3).map { .media(index: $0) })
    }

    /// More chunks than a system call takes, and an empty one among them.
    @Test func writingChunksAwayLeavesTheFileAndNoChunk() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = (0..<200).map { number in [UInt8](repeating: UInt8(number), count: number % 7) }
        var chunks = bytes.map { ByteChunk($0) }
        let file = try OutputFile(path: path)
        try file.write(consuming: &chunks)
        try file.commit()
        #expect(chunks.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes.joined()))
    }
}
