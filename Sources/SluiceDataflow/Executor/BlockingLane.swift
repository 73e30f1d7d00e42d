public import SluiceCore

/// A serial executor for one node whose C calls may block.
///
/// It holds a thread of the pool only while its node runs; a node that is suspended on a channel holds none. Jobs run
/// one at a time, in order.
public final class BlockingLane: TaskExecutor, @unchecked Sendable {
    // Sound because all mutable state is inside `state`, and jobs are handed to exactly one thread at a time.
    private struct State {
        var jobs = RingBuffer<UnownedJob>()
        /// A thread of the pool is serving this lane or is about to.
        var scheduled = false
    }

    public let name: String
    private let pool: BlockingThreads
    private let state = Locked(State())

    /// - Throws: `.exhausted` where the system has no thread to give; otherwise one stays as long as the lane.
    public init(name: String, pool: BlockingThreads = .shared) throws(NodeFailure) {
        try pool.reserve()
        self.name = name
        self.pool = pool
    }

    deinit { pool.release() }

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let start: Bool = state.withLock { state in
            state.jobs.append(unowned)
            defer { state.scheduled = true }
            return !state.scheduled
        }
        if start { pool.submit { self.serve() } }
    }

    private func serve() {
        let executor = asUnownedTaskExecutor()
        while true {
            let job: UnownedJob? = state.withLock { state in
                let job = state.jobs.popFirst()
                if job == nil { state.scheduled = false }
                return job
            }
            guard let job else { return }
            job.runSynchronously(on: executor)
        }
    }
}
