internal import CMediaShim
internal import CMicrohttpd
internal import CThreadShim
import Glibc
import Sluice
import SluiceCore

/// Owns every suspended connection.
///
/// libmicrohttpd forgets a suspended connection: it does not notice that the client closed, its timeout does not run, and
/// stopping the daemon over one aborts the process. So this table watches each socket for the peer's close, holds the
/// deadline, and resumes each suspension exactly once: whoever takes the entry out, under the lock, resumes it there and
/// then. An empty table therefore means that nothing is suspended.
final class PendingTable: Sendable {
    /// Names one suspension; never reused.
    typealias Token = UInt64

    private struct Entry {
        let exchange: Exchange
        let connection: OpaquePointer
        let socket: Int32
        var task: Task<Void, Never>?
    }

    private struct State {
        var entries: [Token: Entry] = [:]
        /// In the order of suspension, which is the order of deadlines; settled tokens are skipped.
        var deadlines = RingBuffer<(token: Token, deadline: ContinuousClock.Instant)>()
        var lastToken: Token = 0
        var isRefusing = false
        var isFinished = false
        /// The watcher waits without end and must be woken for a new deadline.
        var watcherIsIdle = false
        var counts = Counts()
    }

    struct Counts: Sendable, Hashable {
        /// Suspended now.
        var waiting = 0
        /// Clients that closed before their answer was there.
        var clientsGone = 0
        /// Requests that ran into the deadline.
        var expired = 0
    }

    private let state = Locked(State())
    private let watch: sluice_watch
    private let deadline: Duration
    private let time: any TimeSource
    private let thread = Locked<pthread_t?>(nil)

    /// Throws `.exhausted` where descriptors or threads ran out.
    init(deadline: Duration, time: any TimeSource) throws(NodeFailure) {
        self.deadline = deadline
        self.time = time
        var watch = sluice_watch()
        let opened = sluice_watch_open(&watch)
        guard opened == 0 else {
            throw NodeFailure(.exhausted, "epoll set for waiting requests: \(String(cString: strerror(-opened)))")
        }
        self.watch = watch
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let created = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<PendingTable>.fromOpaque(context).takeRetainedValue().watchUntilFinished()
                return nil
            }, context.toOpaque())
        guard created == 0 else {
            context.release()
            sluice_watch_close(&watch)
            throw NodeFailure(.exhausted, "thread for waiting requests: \(String(cString: strerror(created)))")
        }
        self.thread.withLock { $0 = thread }
    }

    var counts: Counts {
        state.withLock { state in
            var counts = state.counts
            counts.waiting = state.entries.count
            return counts
        }
    }

    /// Suspends the connection; nil, and nothing done, once the table refuses. Only from the connection's own callback.
    func suspend(_ connection: OpaquePointer, for exchange: Exchange) -> Token? {
        let socket = sluice_mhd_socket(connection)
        return state.withLock { state in
            guard !state.isRefusing else { return nil }
            state.lastToken += 1
            let token = state.lastToken
            exchange.settle(.waiting)
            MHD_suspend_connection(connection)
            state.entries[token] = Entry(exchange: exchange, connection: connection, socket: socket)
            state.deadlines.append((token, time.now.advanced(by: deadline)))
            withUnsafePointer(to: watch) { watch in
                // Where the socket cannot be watched, the deadline still ends the wait.
                _ = sluice_watch_add(watch, socket, token)
                if state.watcherIsIdle { sluice_watch_wake(watch) }
            }
            state.watcherIsIdle = false
            return token
        }
    }

    /// Names the task that works for a suspension, to be cancelled with it.
    func attach(_ task: Task<Void, Never>, to token: Token) {
        let isSettled = state.withLock { state in
            state.entries[token]?.task = task
            return state.entries[token] == nil
        }
        if isSettled { task.cancel() }
    }

    /// Answers a suspension, if nothing else ended it before.
    func answer(_ token: Token, with response: Response) {
        state.withLock { state in _ = take(token, &state, .answered(response)) }
    }

    /// Refuses new suspensions and answers all there are with `response`.
    func refuse(with response: Response) {
        let tasks = state.withLock { state in
            state.isRefusing = true
            return state.entries.keys.map { take($0, &state, .answered(response)) }
        }
        for task in tasks { task?.cancel() }
    }

    /// Ends the watcher. Nothing may be suspended any more. Not from the watcher itself.
    func finish() {
        state.withLock { $0.isFinished = true }
        withUnsafePointer(to: watch) { sluice_watch_wake($0) }
        if let thread = thread.withLock({ $0.take() }) {
            pthread_join(thread, nil)
            var watch = watch
            sluice_watch_close(&watch)
        }
    }

    /// The one place that resumes. Returns the task that is of no use now.
    private func take(_ token: Token, _ state: inout State, _ phase: Exchange.Phase) -> Task<Void, Never>? {
        guard let entry = state.entries.removeValue(forKey: token) else { return nil }
        withUnsafePointer(to: watch) { sluice_watch_remove($0, entry.socket) }
        entry.exchange.settle(phase)
        MHD_resume_connection(entry.connection)
        return entry.task
    }
}

extension PendingTable {
    private func watchUntilFinished() {
        sluice_thread_set_name("sluice-pending")
        var tokens = [Token](repeating: 0, count: 64)
        while true {
            let timeout = state.withLock { state -> Int32? in
                if state.isFinished { return nil }
                return milliseconds(untilNext: &state)
            }
            guard let timeout else { return }
            let count = withUnsafePointer(to: watch) {
                sluice_watch_wait($0, &tokens, Int32(tokens.count), timeout)
            }
            var tasks: [Task<Void, Never>?] = []
            state.withLock { state in
                state.watcherIsIdle = false
                for token in tokens.prefix(Int(max(0, count))) where state.entries[token] != nil {
                    state.counts.clientsGone += 1
                    tasks.append(take(token, &state, .abandoned))
                }
                tasks += expire(&state)
            }
            for task in tasks { task?.cancel() }
        }
    }

    /// Time to the first deadline that still matters, rounded up; -1 and an idle watcher where there is none.
    private func milliseconds(untilNext state: inout State) -> Int32 {
        while let first = state.deadlines.first {
            if state.entries[first.token] == nil {
                _ = state.deadlines.popFirst()
                continue
            }
            let left = (first.deadline - time.now).nanoseconds
            return Int32(clamping: max(0, left) / 1_000_000 + 1)
        }
        state.watcherIsIdle = true
        return -1
    }

    private func expire(_ state: inout State) -> [Task<Void, Never>?] {
        let now = time.now
        var tasks: [Task<Void, Never>?] = []
        while let first = state.deadlines.first, first.deadline <= now {
            _ = state.deadlines.popFirst()
            guard state.entries[first.token] != nil else { continue }
            state.counts.expired += 1
            tasks.append(
                take(first.token, &state, .answered(.unavailable("no answer in time", retryAfter: 2))))
        }
        return tasks
    }
}
