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

    /// Runs `work` on one of the threads, as soon as one is free.
    public func submit(_ work: @escaping @Sendable () -> Void) {
        let needsThread: Bool = state.withLock { state in
            state.queue.append(work)
            if state.idle >= state.queue.count || state.threads >= ceiling { return false }
            state.threads += 1
            state.peak = max(state.peak, state.threads)
            return true
        }
        if needsThread { startThread() } else { state.signalOne() }
    }

    /// Runs a blocking call on one of the threads while the caller's task is suspended.
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(NodeFailure) -> Value
    ) async throws(NodeFailure) -> Value {
        let result: Result<Value, NodeFailure> = await withUnsafeContinuation { continuation in
            submit {
                do throws(NodeFailure) { continuation.resume(returning: .success(try body())) } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private func startThread() {
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
        if status == 0 {
            pthread_detach(handle)
        } else {
            // No thread to be had: the ones there are take the work when they are free.
            box.release()
            let none = state.withLock { state in
                state.threads -= 1
                return state.threads == 0
            }
            precondition(!none, "the system refuses even one thread (pthread_create: \(status))")
        }
    }

    private func serve() {
        while let work = next() { work() }
    }

    /// Waits for work; nil when idle for so long that the thread should end.
    private func next() -> (@Sendable () -> Void)? {
        let deadline = ContinuousClock.now + .seconds(idleSeconds)
        state.withLock { $0.idle += 1 }
        let found: (@Sendable () -> Void)? = state.wait(until: deadline) { state in
            guard let work = state.queue.popFirst() else { return nil }
            state.idle -= 1
            return work
        }
        if let found { return found }
        // Time is up; what came in at the last moment is still this thread's to do.
        return state.withLock { state in
            state.idle -= 1
            if let work = state.queue.popFirst() { return work }
            state.threads -= 1
            return nil
        }
    }
}
