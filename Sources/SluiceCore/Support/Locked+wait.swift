import Glibc

extension Locked where Value: ~Copyable {
    /// Blocks the calling thread until `body` returns something; nil when `deadline` passes first.
    ///
    /// `body` runs under the lock at once and after every ``signal()``, and must be as short as a `withLock` body. Only
    /// for threads that may block: never the cooperative pool. Any number of threads may wait.
    public func wait<Result, Failure: Error>(
        until deadline: ContinuousClock.Instant?, _ body: (inout Value) throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = try body(&value.pointee) { return result }
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            let remaining = ContinuousClock.now.duration(to: deadline).nanoseconds
            guard remaining > 0 else { return nil }
            var until = timespec()
            clock_gettime(CLOCK_MONOTONIC, &until)
            // At most a day a round, so that no far deadline overflows `timespec`.
            let capped = min(remaining, 86_400_000_000_000)
            let nanoseconds = Int64(until.tv_nsec) + capped % 1_000_000_000
            until.tv_sec += Int(capped / 1_000_000_000 + nanoseconds / 1_000_000_000)
            until.tv_nsec = Int(nanoseconds % 1_000_000_000)
            pthread_cond_timedwait(condition, mutex, &until)
        }
    }

    /// Wakes every thread in ``wait(until:_:)``. Any thread, after the change it should see.
    public func signal() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        pthread_cond_broadcast(condition)
    }

    /// Wakes one of the threads in ``wait(until:_:)``, where any of them can do what there is to do.
    public func signalOne() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        pthread_cond_signal(condition)
    }
}
