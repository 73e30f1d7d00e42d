internal import CThreadShim
public import SluiceCore

/// Marks a C call that may block, and refuses it where blocking would stop unrelated work.
public enum BlockingScope {
    /// Whether the calling thread may block: a thread of ``BlockingThreads``, not of the cooperative pool.
    public static var isAllowed: Bool { sluice_thread_may_block() != 0 }

    /// Runs `body` on the calling thread.
    ///
    /// - Throws: `.internalInvariant` on a thread that must not block (two blocked pool threads stop every task of the
    ///   process on a two-core machine); else what `body` throws.
    public static func run<Value: ~Copyable>(_ body: () throws(NodeFailure) -> Value) throws(NodeFailure) -> Value {
        guard isAllowed else {
            throw NodeFailure(
                .internalInvariant,
                "a blocking call on the cooperative pool; expected a node with \"thread\": \"dedicated\"")
        }
        return try body()
    }
}
