import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTestKit
import SluiceTransport
import Testing

@Suite struct ReaderNodeTests {
    private func context(_ options: [String: OptionValue], _ link: ByteLink, _ resources: Resources = .none)
        -> NodeContext
    {
        NodeContext(
            core: NodeCore(name: "reader"), descriptor: ReaderNode.descriptor, options: options, inputs: [:],
            outputs: ["bytes": link], resources: resources)
    }

    @Test func handsOverTheHostsSourceAndClosesItWhenCancelled() async throws {
        let link = ByteLink()
        let source = MemorySource([1, 2, 3])
        let context = context(["url": .string("")], link, Resources().with(HostByteSource(source)))
        let node = try ReaderNode(context: context)
        async let run: Void = node.run()
        #expect(await eventually { if case .source = link.offer { true } else { false } })
        context.core.cancel()
        try await run
        let failure = #expect(throws: NodeFailure.self) {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 3, alignment: 1)
            defer { buffer.deallocate() }
            _ = try source.read(into: buffer, at: 0)
        }
        #expect(failure?.code == .cancelled)
    }

    @Test func aFileThatIsNotThereIsATypedFailure() async throws {
        let node = try ReaderNode(context: context(["url": .string("/nonexistent/film.mkv")], ByteLink()))
        let failure = await #expect(throws: NodeFailure.self) { try await node.run() }
        #expect(failure?.code == .notFound)
    }

    @Test func aSeekBeforeTheSourceIsOpenIsNotAnInterruptedOpening() async throws {
        let link = ByteLink()
        let context = context(
            ["url": .string("/dev/null/x")], link, Resources().with(HostByteSource(MemorySource([7]))))
        context.core.interrupt.raise(for: Epoch(1))
        _ = context.core.post(.seek(SeekRequest(epoch: Epoch(1), target: .segment(3))))
        let node = try ReaderNode(context: context)
        async let run: Void = node.run()
        #expect(await eventually { !context.core.interrupt.isRaised })
        context.core.cancel()
        try await run
    }
}
