import SluiceCore
import SluiceDataflow

/// Blocking work over a source.
enum InterruptibleSource {
    /// Runs `work` off the cooperative pool; where the task is cancelled, the reads of what it opens end.
    ///
    /// - Parameter work: is given what takes the source before it is waited for.
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable (_ willOpen: (any ByteSource) -> Void) throws(NodeFailure) -> Value
    ) async throws -> Value {
        let opening = Locked<(any ByteSource)?>(nil)
        return try await withTaskCancellationHandler {
            try await BlockingThreads.shared.run { () throws(NodeFailure) -> Value in
                defer { opening.withLock { $0 = nil } }
                return try work { bytes in opening.withLock { $0 = bytes } }
            }
        } onCancel: {
            opening.withLock { $0 }?.interrupt()
        }
    }
}
