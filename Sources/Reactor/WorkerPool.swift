import Glibc

/// A few threads for work that would hold up a loop for more than a millisecond, such as hashing a password.
package final class WorkerPool: Sendable {
    /// The queue is full, or a piece of work was not begun in time; it was not done.
    package struct Overloaded: Error {}

    private let queue: WorkQueue
    private let patience: Duration

    /// `queue`: how many pieces may wait; `patience`: how long one may have waited when a thread comes to it.
    package init(threads: Int, queue capacity: Int, patience: Duration) {
        queue = WorkQueue(capacity: capacity)
        self.patience = patience
        for _ in 0..<threads {
            let thread = startThread { [queue] in while let work = queue.take() { work() } }
            pthread_detach(thread)
        }
    }

    deinit { queue.close() }

    /// Runs `body` on one of the threads. Throws ``Overloaded``, or what `body` throws.
    package func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        let clock = ContinuousClock()
        let latest = clock.now + patience
        return try await withCheckedThrowingContinuation { continuation in
            let isQueued = queue.put {
                continuation.resume(
                    with: Result { if clock.now > latest { throw Overloaded() } else { try body() } })
            }
            if !isQueued { continuation.resume(throwing: Overloaded()) }
        }
    }
}

/// A bounded queue whose takers sleep while it is empty.
private final class WorkQueue: @unchecked Sendable {
    private let capacity: Int
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [@Sendable () -> Void] = []
    private var isClosed = false

    init(capacity: Int) {
        self.capacity = capacity
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func put(_ work: @escaping @Sendable () -> Void) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard waiting.count < capacity, !isClosed else { return false }
        waiting.append(work)
        pthread_cond_signal(condition)
        return true
    }

    /// The next piece of work; nil when the queue is closed and empty.
    func take() -> (@Sendable () -> Void)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while waiting.isEmpty && !isClosed { pthread_cond_wait(condition, mutex) }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }
}
