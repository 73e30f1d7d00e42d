public import SluiceCore

extension SinkNode {
    /// The loop of every sink; it also reports landings and ends to the runner.
    ///
    /// A landing is told in output time: the first payload's presentation, mapped by the epoch's timeline segment.
    @inlinable
    public func run() async throws(NodeFailure) {
        let landing = Self.descriptor.landing
        var reported: Epoch?
        var timeline: TimelineSegment?
        while !core.isCancelled {
            if core.inbox.hasMessages {
                while let message = core.inbox.take() { try await apply(message) }
            }
            switch input.poll() {
            case .payload(let payload):
                let landed = landing && reported != input.epoch
                let position = landed ? payload.presentationPosition : nil
                try await consume(payload)
                if landed {
                    reported = input.epoch
                    let output = position.map { timeline?.output($0) ?? $0 }
                    core.send(.landed(input.epoch, output.map { Timestamp($0, .nanoseconds) }))
                }
            case .event(let event):
                core.trace.add("\(input.name) got \(event.name)")
                if case .segment(let map) = event { timeline = map }
                try await handle(event)
                if case .endOfStream(let reason) = event {
                    if landing, reported != input.epoch {
                        reported = input.epoch
                        core.send(.landed(input.epoch, nil))
                    }
                    core.send(.ended(input.epoch, reason))
                }
            case .flushed:
                timeline = nil
                flush()
            case .nothing: await core.waitForInput()
            case .closed, .cancelled: return
            case .control: continue
            }
        }
    }
}
