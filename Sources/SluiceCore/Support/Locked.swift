public import Glibc

/// A value behind a mutex: the only lock in Sluice.
///
/// `Synchronization.Mutex` is not used because Thread Sanitizer cannot see through it on Linux.
/// Nothing that may wait, call out or allocate much belongs inside `withLock`.
public final class Locked<Value: ~Copyable>: @unchecked Sendable {
    // Sound because `value` is only reached between lock and unlock of `mutex`.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Behind a pointer, because the mutex excludes whom the language's run-time exclusivity checks would look for.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    /// Counts time on CLOCK_MONOTONIC, so that a step of the wall clock neither shortens nor stretches a wait.
    let condition: UnsafeMutablePointer<pthread_cond_t>

    public init(_ value: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
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
        return try body(&value.pointee)
    }
}
