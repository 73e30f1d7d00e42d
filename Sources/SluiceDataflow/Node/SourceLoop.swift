public import SluiceCore

extension SourceNode {
    /// The loop of every source: a seek first, then one step of production, until the node is cancelled.
    ///
    /// After its end of stream a source stays alive and waits for a seek.
    @inlinable
    public func run() async throws(NodeFailure) {
        var parked = false
        while !core.isCancelled {
            if let message = core.inbox.take() {
                switch message {
                case .seek(let request):
                    for output in outputs { output.adopt(request.epoch) }
                    core.metrics.setEpoch(request.epoch)
                    core.trace.add("seek \(request.target) in \(request.epoch)")
                    core.interrupt.lower(through: request.epoch)
                    if let reason = try await move(request) { core.send(.rejected(request.epoch, reason)) }
                    parked = false
                case .finish:
                    if !parked { await end(.finished) }
                    parked = true
                case .setOption: try await apply(message)
                }
                continue
            }
            if parked {
                await core.wait(for: .parked)
                continue
            }
            switch try await step() {
            case .produced: break
            case .wouldBlock:
                if outputs.contains(where: \.hasStaged) {
                    for output in outputs { await output.push() }
                } else {
                    await core.wait(for: .waitingForInput)
                }
            case .ended(let reason):
                await end(reason)
                parked = true
            }
        }
    }

    /// A seek that is interrupted by a later one is no failure: the later one follows and moves the source.
    @inlinable
    func move(_ request: SeekRequest) async throws(NodeFailure) -> String? {
        do { return try await seek(request) } catch {
            if error.code == .cancelled, core.interrupt.isRaised || core.isCancelled { return nil }
            throw error
        }
    }

    /// One step; a call that was interrupted for a seek is no failure, the seek follows.
    @inlinable
    func step() async throws(NodeFailure) -> ProduceResult {
        do { return try await produce() } catch {
            if error.code == .cancelled, core.interrupt.isRaised || core.inbox.hasMessages || core.isCancelled {
                return .wouldBlock
            }
            throw error
        }
    }

    @inlinable
    func end(_ reason: EndReason) async {
        for output in outputs { await output.send(.endOfStream(reason)) }
    }
}
