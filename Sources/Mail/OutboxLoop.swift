import Postgres
import Reactor
import Synchronization

/// Settings of an outbox worker: deliveries at once, polling interval, retries.
package struct OutboxSettings: Sendable {
    package var atOnce: Int
    package var poll: Duration
    package var backoff: Backoff

    package init(atOnce: Int, poll: Duration = .seconds(1), backoff: Backoff = Backoff()) {
        self.atOnce = atOnce
        self.poll = poll
        self.backoff = backoff
    }
}

/// The rhythm of a worker: it takes what is due from an outbox, as much as can be done at once, and looks again when
/// something is done, when somebody pokes it, and at every poll.
package final class OutboxLoop: Sendable {
    private let name: String
    private let loop: EventLoop
    private let poll: Duration
    private let log: @Sendable (String) -> Void
    private let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let idle: Mutex<Int>
    private let ended = AsyncStream.makeStream(of: Void.self)
    private let isStopping = Atomic(false)
    private let isReadable = Atomic(true)

    /// `log` is told when the outbox, under this name, cannot be read.
    package init(
        _ name: String, on loop: EventLoop, _ settings: OutboxSettings, log: @escaping @Sendable (String) -> Void
    ) {
        self.name = name
        self.loop = loop
        poll = settings.poll
        self.log = log
        idle = Mutex(settings.atOnce)
    }

    /// Begins, on the loop. `claim` answers at most so many items, each ours until its lease runs out.
    package func start<Item: Sendable>(
        claim: @escaping @Sendable (Int) async throws -> [Item], deliver: @escaping @Sendable (Item) async -> Void
    ) {
        Task(executorPreference: loop) {
            await self.run(claim, deliver)
            self.ended.continuation.finish()
        }
        loop.execute { self.tick() }
    }

    fileprivate func poke() { wakes.continuation.yield() }

    fileprivate func stop(patience: Duration) async {
        isStopping.store(true, ordering: .relaxed)
        wakes.continuation.finish()
        await withTaskGroup(of: Void.self) { first in
            first.addTask { [ended] in for await _ in ended.stream {} }
            first.addTask { try? await Task.sleep(for: patience) }
            await first.next()
            first.cancelAll()
        }
    }

    private func tick() {
        if case .terminated = wakes.continuation.yield() { return }
        _ = loop.schedule(after: poll) { self.tick() }
    }

    private func run<Item: Sendable>(
        _ claim: @escaping @Sendable (Int) async throws -> [Item], _ deliver: @escaping @Sendable (Item) async -> Void
    ) async {
        await withDiscardingTaskGroup { deliveries in
            for await _ in wakes.stream {
                for item in await items(claim) {
                    deliveries.addTask {
                        await deliver(item)
                        self.idle.withLock { $0 += 1 }
                        self.poke()
                    }
                }
            }
        }
    }

    /// As many due items as can be worked on now.
    private func items<Item>(_ claim: @Sendable (Int) async throws -> [Item]) async -> [Item] {
        let room = idle.withLock { $0 }
        guard room > 0, !isStopping.load(ordering: .relaxed) else { return [] }
        do {
            let items = try await claim(room)
            idle.withLock { $0 -= items.count }
            if !isReadable.exchange(true, ordering: .relaxed) { log("\(name) can be read again") }
            return items
        } catch {
            // Once, not at every poll.
            if isReadable.exchange(false, ordering: .relaxed) { log("\(name) cannot be read: \(outboxWords(error))") }
            return []
        }
    }
}

/// Sends what is in an outbox: at least once, from as many instances as there are.
package protocol OutboxWorker: Sendable {
    var rhythm: OutboxLoop { get }
}

extension OutboxWorker {
    /// Looks at the outbox now; call it after something was enqueued and committed.
    package func poke() { rhythm.poke() }

    /// Takes no more, and returns when what is on its way is done, or after `patience`. The rest is sent by another
    /// instance or the next process, once its lease has run out.
    package func stop(patience: Duration = .seconds(8)) async { await rhythm.stop(patience: patience) }
}

/// Text of an error that is safe to store and log: the description of a `PostgresError`, otherwise only the type's
/// name.
package func outboxWords(_ error: any Error) -> String {
    (error as? PostgresError)?.description ?? String(describing: type(of: error))
}
