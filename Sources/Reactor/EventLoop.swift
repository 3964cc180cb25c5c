internal import CLinux
import Glibc
import Synchronization

/// One thread that waits for descriptors, timers and jobs, and runs whatever is due. A `Task` with the loop as its
/// executor preference runs entirely on this thread.
///
/// A turn: run jobs, call `beforeWaiting`, wait (not at all if jobs are queued), fire timers, deliver events, release
/// what was removed. State is confined to the thread by `assert(isCurrent)`; what other threads
/// may call says so.
package final class EventLoop: TaskExecutor, SerialExecutor, @unchecked Sendable {
    /// Its place among the loops of its group.
    package let index: Int
    /// Time since an arbitrary start, never going back; refreshed once a turn.
    package private(set) var now: Duration = .zero

    private let epoll: Int32
    private let waker: Int32
    private var thread: pthread_t?
    private var jobs: [UnownedJob] = []
    private var timers = TimerQueue()
    private var flushes: [() -> Bool] = []
    /// Sources removed in this turn: an event already fetched may still point at them.
    private var removedSources: [EventSource] = []

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var work: [@Sendable () -> Void] = []
        var isSignalled = false
        var isStopping = false
    }
    /// The thread sanitizer reports races here, and they are none: it does not see the locking of a contended `Mutex`,
    /// which happens inside the uninstrumented standard library. Two threads and one `Mutex` alone give the same
    /// report.
    private let inbox = Mutex(Inbox())

    init(index: Int) {
        self.index = index
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        waker = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        precondition(epoll >= 0 && waker >= 0, "no descriptors left for an event loop")
        var event = epoll_event(events: Events.readable.rawValue, data: epoll_data_t(ptr: nil))
        epoll_ctl(epoll, EPOLL_CTL_ADD, waker, &event)
        refreshNow()
    }

    deinit {
        close(epoll)
        close(waker)
    }

    // MARK: From any thread

    /// The loop whose thread this is, if any.
    package static var current: EventLoop? {
        pthread_getspecific(currentKey).map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    package var isCurrent: Bool { EventLoop.current === self }

    package func checkIsolated() { precondition(isCurrent, "not on this event loop's thread") }

    /// Runs a job of the concurrency runtime in this loop's next turn.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            jobs.append(job)
        } else {
            post { $0.jobs.append(job) }
        }
    }

    /// Runs `work` on the loop's thread, in the order of the calls.
    package func execute(_ work: @escaping @Sendable () -> Void) { post { $0.work.append(work) } }

    func stop() { post { $0.isStopping = true } }

    private func post(_ change: (inout sending Inbox) -> Void) {
        let mustWake = inbox.withLock { inbox in
            change(&inbox)
            defer { inbox.isSignalled = true }
            return !inbox.isSignalled
        }
        guard mustWake else { return }
        var one: UInt64 = 1
        _ = write(waker, &one, 8)
    }

    // MARK: On the loop's thread

    /// Watches `source` until it is removed.
    package func add(_ source: EventSource, _ interest: Events) {
        assert(isCurrent && !source.isRegistered)
        source.interest = interest
        source.isRegistered = true
        control(EPOLL_CTL_ADD, source, Unmanaged.passRetained(source).toOpaque())
    }

    /// Watches `source` for something else.
    package func change(_ source: EventSource, _ interest: Events) {
        assert(isCurrent && source.isRegistered)
        if source.interest == interest { return }
        source.interest = interest
        control(EPOLL_CTL_MOD, source, Unmanaged.passUnretained(source).toOpaque())
    }

    /// Stops watching `source`; harmless if it is not watched. Call it before closing the descriptor.
    package func remove(_ source: EventSource) {
        assert(isCurrent)
        guard source.isRegistered else { return }
        source.isRegistered = false
        source.interest = []
        let pointer = Unmanaged.passUnretained(source)
        control(EPOLL_CTL_DEL, source, pointer.toOpaque())
        removedSources.append(source)
        pointer.release()
    }

    private func control(_ operation: Int32, _ source: EventSource, _ pointer: UnsafeMutableRawPointer) {
        var event = epoll_event(events: source.interest.rawValue, data: epoll_data_t(ptr: pointer))
        let result = epoll_ctl(epoll, operation, source.descriptor, &event)
        precondition(result == 0, "epoll_ctl refused a descriptor: errno \(errno)")
    }

    /// Calls `body` once, not before `delay` has passed.
    @discardableResult
    package func schedule(after delay: Duration, _ body: @escaping () -> Void) -> Timer {
        assert(isCurrent)
        let timer = Timer(deadline: now + delay, body: body)
        timers.insert(timer)
        return timer
    }

    /// Calls `body` in every turn after the jobs have run and before waiting, as long as `owner` exists: the place to
    /// send what they collected.
    package func beforeWaiting<T: AnyObject>(_ owner: T, _ body: @escaping (T) -> Void) {
        assert(isCurrent)
        flushes.append { [weak owner] in
            guard let owner else { return false }
            body(owner)
            return true
        }
    }

    // MARK: The turn

    func run() {
        pthread_setspecific(EventLoop.currentKey, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(EventLoop.currentKey, nil) }
        var isStopping = false
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            while !(isStopping && jobs.isEmpty) {
                runJobs()
                flush()
                let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), waitingTime(isStopping))
                refreshNow()
                while let timer = timers.popDue(now) { timer.fire() }
                for event in events.prefix(Int(max(count, 0))) {
                    if let pointer = event.data.ptr {
                        let source = Unmanaged<EventSource>.fromOpaque(pointer).takeUnretainedValue()
                        if source.isRegistered { source.handler(Events(rawValue: event.events)) }
                    } else {
                        isStopping = takeInbox() || isStopping
                    }
                }
                if !removedSources.isEmpty { removedSources.removeAll(keepingCapacity: true) }
            }
        }
    }

    /// Runs what is queued, at most so many that the descriptors are not starved.
    private func runJobs() {
        var done = 0
        while done < jobs.count && done < 4096 {
            jobs[done].runSynchronously(on: asUnownedTaskExecutor())
            done += 1
        }
        if done == jobs.count { jobs.removeAll(keepingCapacity: true) } else { jobs.removeFirst(done) }
    }

    /// Calls each `body` of ``beforeWaiting(_:_:)`` whose owner exists, and forgets the others.
    private func flush() {
        var index = 0
        while index < flushes.count {
            if flushes[index]() { index += 1 } else { flushes.remove(at: index) }
        }
    }

    /// Milliseconds until something is due; -1 for any time.
    private func waitingTime(_ isStopping: Bool) -> Int32 {
        if !jobs.isEmpty || isStopping { return 0 }
        guard let deadline = timers.next() else { return -1 }
        let (seconds, attoseconds) = (deadline - now).components
        if seconds < 0 { return 0 }
        return Int32(clamping: min(seconds, 3600) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// Takes what other threads have left; answers whether the loop is to stop.
    private func takeInbox() -> Bool {
        var count: UInt64 = 0
        _ = read(waker, &count, 8)
        let (newJobs, work, isStopping) = inbox.withLock { inbox in
            defer { inbox = Inbox(isStopping: inbox.isStopping) }
            return (inbox.jobs, inbox.work, inbox.isStopping)
        }
        jobs.append(contentsOf: newJobs)
        for piece in work { piece() }
        return isStopping
    }

    private func refreshNow() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        now = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    // MARK: Its thread

    func start() {
        thread = startThread { self.run() }
    }

    func join() {
        if let thread { pthread_join(thread, nil) }
        thread = nil
    }
}
