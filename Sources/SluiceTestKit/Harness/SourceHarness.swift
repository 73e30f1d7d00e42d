public import SluiceCore
public import SluiceDataflow

/// One source before a real channel, or behind a byte link: demuxers and whatever else makes a timeline.
public struct SourceHarness<Kind: Node, Output: MediaPayload>: Sendable {
    public var setup: HarnessSetup
    let outputName: String
    /// Byte inputs of the node and the sources they carry.
    var bytes: [String: any ByteSource]

    /// - Parameter bytes: for demuxers, the byte source that each byte input is given.
    public init(
        _ kind: Kind.Type, output: String, of type: Output.Type, bytes: [String: any ByteSource] = [:],
        setup: HarnessSetup = HarnessSetup()
    ) {
        self.setup = setup
        outputName = output
        self.bytes = bytes
    }

    /// Runs to the end of the stream, then makes each seek in turn and runs to the end again.
    ///
    /// The result's epochs are the first run and one for each seek. Rejected seeks show in the reports.
    public func run(seeks: [SeekTarget] = []) async throws -> HarnessResult<Output> {
        let reports = Locked<[NodeReport]>([])
        let collector = ChannelCollector(Channel<Output>(limits: setup.outputLimits))
        var inputs: [String: any AnyChannel] = [:]
        for (name, source) in bytes {
            let link = ByteLink()
            link.provide(source)
            inputs[name] = link
        }
        let run = setup.run(Kind.self, inputs: inputs, outputs: [outputName: collector.channel], reports: reports)
        let links = Array(inputs.values)
        try await run.run(
            Kind.self,
            helpers: [
                { await collector.run() },
                {
                    for index in 0...seeks.count {
                        _ = await eventually(within: .seconds(60)) { Self.isOver(index, collector, reports, run) }
                        guard index < seeks.count else { break }
                        let epoch = Epoch(UInt64(index) + 1)
                        run.core.interrupt.raise(for: epoch)
                        for link in links { link.flush(to: epoch) }
                        collector.channel.flush(to: epoch)
                        _ = run.core.post(.seek(SeekRequest(epoch: epoch, target: seeks[index])))
                    }
                    run.core.cancel()
                },
            ])
        var result = HarnessResult<Output>()
        result.epochs = Array(repeating: [], count: seeks.count + 1)
        for (epoch, item) in collector.entries {
            result.items.append(item)
            result.epochs[Int(epoch.number)].append(item)
        }
        result.reports = reports.withLock { $0 }
        result.numbers = run.core.numbers
        return result
    }

    /// Whether the epoch ended, its seek was rejected, or the node is gone.
    private static func isOver(
        _ index: Int, _ collector: ChannelCollector<Output>, _ reports: Locked<[NodeReport]>, _ run: NodeRun
    ) -> Bool {
        let epoch = Epoch(UInt64(index))
        if run.core.numbers.activity == .ended { return true }
        let rejected = reports.withLock { reports in
            reports.contains { if case .rejected(epoch, _) = $0 { true } else { false } }
        }
        if rejected { return true }
        guard let last = collector.entries.last, last.epoch == epoch else { return false }
        if case .event(.endOfStream) = last.item { return true }
        return false
    }
}
