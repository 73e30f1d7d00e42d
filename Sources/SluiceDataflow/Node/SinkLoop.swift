public import SluiceCore

extension SinkNode {
    /// The loop of every sink; it also reports landings and ends to the runner.
    @inlinable
    public func run() async throws(NodeFailure) {
        let landing = Self.descriptor.landing
        var reported: Epoch?
        while !core.isCancelled {
            if core.inbox.hasMessages {
                while let message = core.inbox.take() { try await apply(message) }
            }
            switch input.poll() {
            case .payload(let payload):
                let position = payload.timelinePosition
                try await consume(payload)
                if landing, reported != input.epoch {
                    reported = input.epoch
                    core.send(.landed(input.epoch, position.map { Timestamp($0, .nanoseconds) }))
                }
            case .event(let event):
                core.trace.add("\(input.name) got \(event.name)")
                try await handle(event)
                if case .endOfStream(let reason) = event {
                    if landing, reported != input.epoch {
                        reported = input.epoch
                        core.send(.landed(input.epoch, nil))
                    }
                    core.send(.ended(input.epoch, reason))
                }
            case .flushed: flush()
            case .nothing: await core.waitForInput()
            case .closed, .cancelled: return
            case .control: continue
            }
        }
    }
}
