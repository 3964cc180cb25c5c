import Foundation
import HTTP
import Postgres
import Reactor
import Synchronization

/// Sends what is in the outbox: at least once, from as many instances as there are.
///
/// A crash between the server's "250" and our mark sends a mail again; nothing else does.
package final class MailWorker: Sendable {
    /// How eager, how broad and how stubborn it is.
    package struct Settings: Sendable {
        package var poll: Duration
        package var atOnce: Int
        package var backoff: Backoff

        package init(poll: Duration = .seconds(1), atOnce: Int = 4, backoff: Backoff = Backoff()) {
            self.poll = poll
            self.atOnce = atOnce
            self.backoff = backoff
        }
    }

    private let store: OutboxStore
    private let loop: EventLoop
    private let transport: MailTransport
    private let from: Mailbox
    private let settings: Settings
    private let log: @Sendable (String) -> Void
    private let threads: WorkerPool
    private let lease: Duration
    private let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let idle: Mutex<Int>
    private let ended = AsyncStream.makeStream(of: Void.self)
    private let isStopping = Atomic(false)
    private let isReadable = Atomic(true)

    /// `log` is told what went wrong, without addresses, links or the mail server's words.
    package init(
        database: Database, loop: EventLoop, transport: MailTransport, from: Mailbox,
        settings: Settings = Settings(), log: @escaping @Sendable (String) -> Void
    ) {
        store = OutboxStore(database: database)
        self.loop = loop
        self.transport = transport
        self.from = from
        self.settings = settings
        self.log = log
        idle = Mutex(settings.atOnce)
        // A thread each, so none waits and the lease covers the whole delivery.
        threads = WorkerPool(threads: settings.atOnce, queue: settings.atOnce, patience: .seconds(10))
        lease = transport.longestDelivery + .seconds(30)
    }

    /// Begins to send what these can compose, on the loop.
    package func start(_ composers: [MailKind: Composer]) {
        Task(executorPreference: loop) {
            await self.run(composers)
            self.ended.continuation.finish()
        }
        loop.execute { self.tick() }
    }

    /// Looks at the outbox now; call it after a mail was enqueued and committed.
    package func poke() { wakes.continuation.yield() }

    /// Takes no more mails, and returns when those on their way are done. What a slow mail server has not taken after
    /// `patience` is sent again by the next process, once the lease has run out.
    package func stop(patience: Duration = .seconds(8)) async {
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
        _ = loop.schedule(after: settings.poll) { self.tick() }
    }

    private func run(_ composers: [MailKind: Composer]) async {
        await withDiscardingTaskGroup { deliveries in
            for await _ in wakes.stream {
                for item in await claim(Array(composers.keys)) {
                    deliveries.addTask {
                        await self.deliver(item, composers[item.kind])
                        self.idle.withLock { $0 += 1 }
                        self.poke()
                    }
                }
            }
        }
    }

    /// As many due items as can be sent at once now.
    private func claim(_ kinds: [MailKind]) async -> [OutboxItem] {
        let room = idle.withLock { $0 }
        guard room > 0, !isStopping.load(ordering: .relaxed) else { return [] }
        do {
            let items = try await store.claim(kinds, limit: room, lease: lease)
            idle.withLock { $0 -= items.count }
            if !isReadable.exchange(true, ordering: .relaxed) { log("the outbox can be read again") }
            return items
        } catch {
            // Once, not at every poll.
            if isReadable.exchange(false, ordering: .relaxed) {
                log("the outbox cannot be read: \(Self.words(error))")
            }
            return []
        }
    }

    private func deliver(_ item: OutboxItem, _ compose: Composer?) async {
        var message: Message?
        do {
            // Only a process that died each time gets here with more attempts than are allowed.
            guard item.attempt <= settings.backoff.attempts else { throw Unfinished() }
            if transport.leadsSomewhere, let composition = try await compose?(item),
                try await isWanted(composition.message)
            {
                message = composition.message
                try await store.commit(composition.commit, for: item, lease: lease)
                try await hand(composition.message, item)
            }
            await markDone(item, message)
        } catch is LeaseLost {
            return
        } catch {
            await markFailed(item, message, error)
        }
    }

    /// Mail about security is tried in any case; other mail goes only where mail is taken.
    private func isWanted(_ message: Message) async throws -> Bool {
        if message.optOut == nil { return true }
        return try await !store.isRefused(message.to)
    }

    /// Under the same id in every attempt: a mail that arrives twice is known as one.
    private func hand(_ message: Message, _ item: OutboxItem) async throws {
        try await threads.run { [transport, from] in
            try transport.deliver(message, from: from, date: item.now, id: "\(item.id)")
        }
    }

    /// The mail is out: until that is written down it would be sent again, so this does not give up easily.
    private func markDone(_ item: OutboxItem, _ message: Message?) async {
        for pause in [0.1, 0.5, 1, 2, 5, 10, 20] {
            do {
                return try await store.finish(item, sentTo: message?.to)
            } catch {
                log("mail \(item.id) was sent, but that cannot be written down: \(Self.words(error))")
                try? await Task.sleep(for: .seconds(pause))
            }
        }
    }

    private func markFailed(_ item: OutboxItem, _ message: Message?, _ error: any Error) async {
        let backoff = settings.backoff
        let delivery = error as? DeliveryError
        let isLast = item.attempt >= (delivery?.isRefusal == true ? backoff.refusals : backoff.attempts)
        var random = SystemRandomNumberGenerator()
        let delay = isLast ? nil : backoff.delay(after: item.attempt, using: &random)
        let reason = Self.words(error)
        log("mail \(item.id) (\(item.kind.rawValue)), attempt \(item.attempt)\(isLast ? ", the last" : ""): \(reason)")
        do {
            let to = isLast && delivery?.isBadAddress == true ? message?.to : nil
            try await store.fail(
                item, because: reason, retryAfter: delay, refusal: to.map { ($0, delivery?.reply ?? 0) })
        } catch {
            // The lease runs out by itself, and the mail is due again.
            log("mail \(item.id): that cannot be written down: \(Self.words(error))")
        }
    }

    /// What may be kept and logged of an error: only errors known to print no value speak for themselves.
    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as DeliveryError: error.description
        case let error as PostgresError: error.description
        default: String(describing: type(of: error))
        }
    }
}

/// The process ended in every attempt.
private struct Unfinished: Error {}
