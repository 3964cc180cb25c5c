import Glibc
import Reactor
import Synchronization

/// An HTTP/1.1 server on the loops of a group: strict about what it reads, bounded in what it keeps.
package final class Server: Sendable {
    private let configuration: ServerConfiguration
    private let occupancy: Occupancy
    private let workers: [Worker]
    private let socket = Mutex<ListeningSocket?>(nil)

    /// `log` is called on a loop after every answer.
    package init(
        _ configuration: ServerConfiguration, group: EventLoopGroup, router: Router,
        log: @escaping @Sendable (AccessRecord) -> Void
    ) {
        self.configuration = configuration
        let occupancy = Occupancy(configuration)
        self.occupancy = occupancy
        workers = group.loops.map {
            Worker(loop: $0, configuration: configuration, router: router, occupancy: occupancy, log: log)
        }
    }

    /// Listens and takes connections; an address in use or not ours is a `ListenError`.
    package func start() throws {
        // Beside the connections there are the database's, the loops' own and a few files.
        DescriptorLimit.raise(to: configuration.maxConnections + 512)
        let socket = try ListeningSocket(configuration)
        self.socket.withLock { $0 = socket }
        for worker in workers {
            worker.loop.execute { [workers] in worker.start(socket, among: workers) }
        }
    }

    /// The port it listens on, 0 when it does not.
    package var port: Int { socket.withLock { $0?.port ?? 0 } }

    /// The connections that are open.
    package var connectionCount: Int { occupancy.count }

    /// The bytes that all connections keep in memory.
    var keptBytes: Int { occupancy.keptBytes }

    /// Takes no more connections, lets running requests finish with `Connection: close`, and returns when all
    /// connections are closed, at the latest after the deadline.
    package func stop() async {
        await everyWorker { worker, done in
            worker.stopListening()
            done()
        }
        if let socket = socket.withLock({ $0.take() }) { close(socket.descriptor) }
        await everyWorker { worker, done in worker.drain(done) }
    }

    private func everyWorker(_ body: @escaping @Sendable (Worker, @escaping @Sendable () -> Void) -> Void) async {
        await withDiscardingTaskGroup { group in
            for worker in workers {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        worker.loop.execute { body(worker) { continuation.resume() } }
                    }
                }
            }
        }
    }
}
