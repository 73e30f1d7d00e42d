internal import CThreadShim
import Glibc
public import SluiceCore

/// Threads that may block in C: grown on demand up to `ceiling`, ended after ten idle seconds.
///
/// Work that finds every thread busy waits in a queue of its submitters' making: a lane is queued at most once, so
/// the queue is bounded by the number of lanes plus the calls of ``run(_:)``.
public final class BlockingThreads: Sendable {
    /// The process-wide pool. A lane holds a thread only while its node runs or blocks, so 64 serve far more nodes.
    public static let shared = BlockingThreads(ceiling: 64)

    private struct State {
        var queue = RingBuffer<@Sendable () -> Void>()
        /// Who counts on there being at least one thread: the last one does not end meanwhile.
        var reservations = 0
        var threads = 0
        var idle = 0
        var peak = 0
    }

    public let ceiling: Int
    private let state = Locked(State())
    private let idleSeconds: Int

    /// - Parameter ceiling: most threads at one time, at least 1.
    public init(ceiling: Int, idleSeconds: Int = 10) {
        self.ceiling = max(1, ceiling)
        self.idleSeconds = max(1, idleSeconds)
    }

    /// Threads alive now, and the most there ever were.
    public var threadCount: (now: Int, peak: Int) { state.withLock { ($0.threads, $0.peak) } }

    /// Runs `work` on one of the threads, as soon as one is free. Only between ``reserve()`` and ``release()``.
    public func submit(_ work: @escaping @Sendable () -> Void) {
        // With a thread reserved, one that cannot be made is no loss: those there are take the work.
        let isTaken = offer(work)
        precondition(isTaken, "work for a pool without a thread; expected a reservation")
    }

    /// Makes sure that there is a thread, and that one stays until ``release()``.
    ///
    /// - Throws: `.exhausted` where the system has no thread to give.
    public func reserve() throws(NodeFailure) {
        state.withLock { $0.reservations += 1 }
        guard offer({}) else {
            release()
            throw Self.noThread
        }
    }

    /// Gives one ``reserve()`` back.
    public func release() { state.withLock { $0.reservations -= 1 } }

    private static let noThread = NodeFailure(.exhausted, "the system has no thread for work that may block")

    /// Queues `work` and starts a thread where all are busy; false, and nothing queued, where there is none at all.
    private func offer(_ work: @escaping @Sendable () -> Void) -> Bool {
        // The thread is made under the lock, so that nobody queues behind one that then cannot be made.
        let isQueued: Bool = state.withLock { state in
            if state.idle <= state.queue.count, state.threads < ceiling {
                if startThread() {
                    state.threads += 1
                    state.peak = max(state.peak, state.threads)
                } else if state.threads == 0 {
                    return false
                }
            }
            state.queue.append(work)
            return true
        }
        if isQueued { state.signalOne() }
        return isQueued
    }

    /// Runs a blocking call on one of the threads while the caller's task is suspended.
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(NodeFailure) -> Value
    ) async throws(NodeFailure) -> Value {
        let result: Result<Value, NodeFailure> = await withUnsafeContinuation { continuation in
            let isTaken = offer {
                do throws(NodeFailure) { continuation.resume(returning: .success(try body())) } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            if !isTaken { continuation.resume(returning: .failure(Self.noThread)) }
        }
        return try result.get()
    }

    private func startThread() -> Bool {
        var handle = pthread_t()
        let box = Unmanaged.passRetained(self)
        let status = pthread_create(
            &handle, nil,
            { raw in
                guard let raw else { return nil }
                let pool = Unmanaged<BlockingThreads>.fromOpaque(raw).takeRetainedValue()
                sluice_thread_set_name("sluice-blocking")
                sluice_thread_set_may_block(1)
                pool.serve()
                return nil
            }, box.toOpaque())
        if status == 0 { pthread_detach(handle) } else { box.release() }
        return status == 0
    }

    private func serve() {
        while let work = next() { work() }
    }

    /// Waits for work; nil when idle for so long that the thread should end.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { $0.idle += 1 }
        while true {
            if let found = wait() { return found }
            // Time is up; what came in at the last moment is still this thread's to do.
            let (work, ends) = state.withLock { state -> ((@Sendable () -> Void)?, Bool) in
                let work = state.queue.popFirst()
                let ends = work == nil && (state.reservations == 0 || state.threads > 1)
                if work != nil || ends { state.idle -= 1 }
                if ends { state.threads -= 1 }
                return (work, ends)
            }
            if work != nil || ends { return work }
        }
    }

    private func wait() -> (@Sendable () -> Void)? {
        let deadline = ContinuousClock.now + .seconds(idleSeconds)
        return state.wait(until: deadline) { state in
            guard let work = state.queue.popFirst() else { return nil }
            state.idle -= 1
            return work
        }
    }
}
