import Glibc

/// The event loops of the process, one per core.
package final class EventLoopGroup: Sendable {
    package let loops: [EventLoop]

    /// Makes as many loops as there are cores online, or `count`; they run after ``start()``.
    package init(count: Int = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))) {
        loops = (0..<count).map(EventLoop.init(index:))
    }

    package func start() { for loop in loops { loop.start() } }

    /// Ends the loops' threads after their queued jobs, and waits for them. Not to be called on a loop.
    package func stop() {
        precondition(EventLoop.current == nil, "a loop cannot wait for itself")
        for loop in loops { loop.stop() }
        for loop in loops { loop.join() }
    }
}

/// Starts a joinable thread that runs `body`.
func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let result = pthread_create(
        &thread, nil,
        { pointer in
            Unmanaged<Box>.fromOpaque(pointer!).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
    precondition(result == 0, "the system refused a thread")
    return thread
}
