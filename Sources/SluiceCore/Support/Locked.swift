public import Glibc

/// A value behind a mutex: the only lock in Sluice.
///
/// `Synchronization.Mutex` is not used because Thread Sanitizer cannot see through it on Linux.
/// Nothing that may wait, call out or allocate much belongs inside `withLock`.
public final class Locked<Value>: @unchecked Sendable {
    // Sound because `value` is only reached inside `withLock`, between lock and unlock of `mutex`.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var value: Value
    /// Made by the first ``wait(until:_:)``; only touched under `mutex`.
    var condition: UnsafeMutablePointer<pthread_cond_t>?

    public init(_ value: sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        if let condition {
            pthread_cond_destroy(condition)
            condition.deinitialize(count: 1)
            condition.deallocate()
        }
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
