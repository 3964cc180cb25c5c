import Glibc
import Reactor
import Synchronization

/// An HTTP/1.1 server on the loops of a group: strict about what it reads, bounded in what it keeps.
package final class Server: Sendable {
    private let configuration: ServerConfiguration
    private let occupancy: Occupancy
    private let workers: [Worker]
    private let names: [RouteName]
    private let socket = Mutex<ListeningSocket?>(nil)

    /// `log` is called on a loop after every answer.
    package init(
        _ configuration: ServerConfiguration, group: EventLoopGroup, router: Router,
        log: @escaping @Sendable (AccessRecord) -> Void
    ) {
        self.configuration = configuration
        let occupancy = Occupancy(configuration)
        self.occupancy = occupancy
        names = router.names
        workers = group.loops.map {
            Worker(loop: $0, configuration: configuration, router: router, occupancy: occupancy, log: log)
        }
    }

    /// Listens and accepts connections. Throws `ListenError` if the address is in use or not on this machine.
    package func start() throws {
        // Beside the connections there are the database's, the loops' own and a few files.
        DescriptorLimit.raise(to: configuration.maxConnections + 512)
        let socket = try configuration.listener.map(ListeningSocket.init(inherited:)) ?? ListeningSocket(configuration)
        self.socket.withLock { $0 = socket }
        for worker in workers {
            worker.loop.execute { [workers] in worker.start(socket, among: workers) }
        }
    }

    /// The port it listens on, 0 when it does not.
    package var port: Int { socket.withLock { $0?.port ?? 0 } }

    /// The socket it listens on.
    var descriptor: Int32? { socket.withLock { $0?.descriptor } }

    /// The connections that are open.
    package var connectionCount: Int { occupancy.count }

    /// What it has counted since its start, and what it holds now: each loop is asked on its own thread.
    package func figures() async -> ServerFigures {
        let sums = Mutex(ServerFigures(requests: names.map { ($0, Tally()) }, keptBytes: keptBytes))
        let begin = ContinuousClock.now
        await everyWorker { worker, done in
            sums.withLock {
                $0.delays[worker.loop.index] = .now - begin
                worker.add(to: &$0)
            }
            done()
        }
        var figures = sums.withLock { $0 }
        figures.requests.removeAll { $0.tally.count == 0 }
        return figures
    }

    /// The bytes that all connections keep in memory.
    var keptBytes: Int { occupancy.keptBytes }

    /// Goes on with idle connections that another process has kept.
    package func resume(_ connections: [Int32]) {
        workers[0].loop.execute { [worker = workers[0]] in worker.resume(connections) }
    }

    /// Takes no more connections, lets running requests finish with `Connection: close`, and returns when all
    /// connections are closed, at the latest after the deadline.
    package func stop() async { _ = await end(keepingIdle: false) }

    /// Takes no more connections and lets running requests finish. Connections between two requests stay open: it
    /// returns them, for another process.
    package func handOver() async -> [Int32] { await end(keepingIdle: true) }

    private func end(keepingIdle: Bool) async -> [Int32] {
        await everyWorker { worker, done in
            worker.stopListening(keepingIdle: keepingIdle)
            done()
        }
        if let socket = socket.withLock({ $0.take() }) { close(socket.descriptor) }
        let kept = Mutex<[Int32]>([])
        await everyWorker { worker, done in
            worker.drain { idle in
                kept.withLock { $0 += idle }
                done()
            }
        }
        return kept.withLock { $0 }
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
