import Glibc

/// Blocking waits, for threads that may block: never on the cooperative pool.
extension Locked where Value: ~Copyable {
    /// Calls `body` under the lock, again after every notification, until it returns a value or time is up.
    ///
    /// - Parameters:
    ///   - nanoseconds: how long at most; nil waits for ever. Values below 0 count as 0.
    ///   - body: told whether time is up; its last answer, given then, is returned even if nil.
    public func wait<Result>(
        nanoseconds: Int64?, _ body: (inout Value, _ timedOut: Bool) -> Result?
    ) -> Result? {
        var deadline = timespec()
        if let nanoseconds {
            clock_gettime(CLOCK_MONOTONIC, &deadline)
            let total = Int64(deadline.tv_nsec) + max(0, nanoseconds) % 1_000_000_000
            deadline.tv_sec &+= Int(max(0, nanoseconds) / 1_000_000_000 + total / 1_000_000_000)
            deadline.tv_nsec = Int(total % 1_000_000_000)
        }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value.pointee, false) { return result }
            if nanoseconds == nil {
                pthread_cond_wait(condition, mutex)
            } else if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT {
                return body(&value.pointee, true)
            }
        }
    }

    /// Wakes one thread inside ``wait(nanoseconds:_:)``. Call it after the change, outside the lock.
    public func notifyOne() { pthread_cond_signal(condition) }

    /// Wakes every thread inside ``wait(nanoseconds:_:)``.
    public func notifyAll() { pthread_cond_broadcast(condition) }
}
