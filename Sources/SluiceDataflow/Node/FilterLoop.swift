public import SluiceCore

extension FilterNode {
    /// The loop of every filter: control, then payloads and events, until the input closes.
    @inlinable
    public func run() async throws(NodeFailure) {
        let core = input.core
        while !core.isCancelled {
            if core.inbox.hasMessages {
                while let message = core.inbox.take() { try await apply(message) }
            }
            switch input.poll() {
            case .payload(let payload): try await process(payload)
            case .event(let event):
                if case .endOfStream = event { try await drain() }
                if try await handle(event) == .forward { await output.send(event) }
            case .flushed(let epoch):
                flush()
                output.adopt(epoch)
            case .nothing:
                if output.hasStaged { await output.push() } else { await input.waitForInput() }
            case .closed:
                // What was made of the last items is still owed to whoever listens.
                await output.push()
                return
            case .cancelled: return
            case .control: continue
            }
        }
    }
}
