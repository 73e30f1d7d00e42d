public import SluiceCore

/// A filter whose work on a payload never waits: it stages its output, and the loop does the waiting.
///
/// Between two payloads nothing is awaited, which spares the returns to the executor that follow every `await`; for
/// stages that only look at, mark or drop small items that is most of their cost.
public protocol DirectFilterNode: FilterNode {
    /// Takes a payload and stages what comes of it: nothing, one or a few, and events between them.
    ///
    /// The payload is handed over, so that a node may change it where it lies.
    func step(_ payload: consuming Input) throws(NodeFailure)
}

extension DirectFilterNode {
    @inlinable
    public func process(_ payload: Input) async throws(NodeFailure) {
        try step(payload)
        if output.isPushDue { await output.push() }
    }

    /// The loop of ``FilterNode``, with ``step(_:)`` in the place of ``FilterNode/process(_:)``.
    @inlinable
    public func run() async throws(NodeFailure) {
        let (core, input, output) = (input.core, input, output)
        while !core.isCancelled {
            if core.inbox.hasMessages {
                while let message = core.inbox.take() { try await apply(message) }
            }
            switch input.poll() {
            case .payload(let payload):
                try step(consume payload)
                if output.isPushDue { await output.push() }
            case .event(let event):
                if case .endOfStream = event { try await drain() }
                if try await handle(event) == .forward { await output.send(event) }
            case .flushed(let epoch):
                flush()
                output.adopt(epoch)
            case .nothing:
                if output.hasStaged { await output.push() } else { await core.waitForInput() }
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
