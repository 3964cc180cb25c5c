import HTTP
import Postgres
import Reactor

/// Sends mails, each at least once. A mail that the server took is sent again if the process crashes before we have
/// marked it, if the server's reply is lost, or if the database stays unwritable.
package final class MailWorker: OutboxWorker {
    package let counts = DeliveryCounts()
    package let rhythm: OutboxLoop
    private let store: OutboxStore
    private let transport: MailTransport
    private let from: Mailbox
    private let backoff: Backoff
    private let log: @Sendable (String) -> Void
    private let threads: WorkerPool
    private let lease: Duration

    /// `log` is told what went wrong, without addresses and links.
    package init(
        database: Database, loop: EventLoop, transport: MailTransport, from: Mailbox,
        settings: OutboxSettings = OutboxSettings(atOnce: 4), log: @escaping @Sendable (String) -> Void
    ) {
        store = OutboxStore(database: database)
        rhythm = OutboxLoop("the outbox", on: loop, settings, log: log)
        self.transport = transport
        self.from = from
        backoff = settings.backoff
        self.log = log
        // A thread each, so none waits and the lease covers the whole delivery.
        threads = WorkerPool(threads: settings.atOnce, queue: settings.atOnce, patience: .seconds(10))
        lease = transport.longestDelivery + .seconds(30)
    }

    /// Begins to send what these can compose, on the loop.
    package func start(_ composers: [MailKind: Composer]) {
        rhythm.start(
            claim: { [store, lease] in try await store.claim(Array(composers.keys), limit: $0, lease: lease) },
            deliver: { await self.deliver($0, composers[$0.kind]) })
    }

    private func deliver(_ item: OutboxItem, _ compose: Composer?) async {
        var message: Message?
        do {
            // Only a process that died each time gets here with more attempts than are allowed.
            guard item.attempt <= backoff.attempts else { throw Unfinished() }
            if transport.leadsSomewhere, let composition = try await compose?(item),
                try await isWanted(composition.message)
            {
                message = composition.message
                try await store.commit(composition.commit, for: item, lease: lease)
                try await hand(composition.message, item)
                counts.count(.sent)
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
        let delivery = error as? DeliveryError
        let isLast = item.attempt >= (delivery?.isRefusal == true ? backoff.refusals : backoff.attempts)
        counts.count(isLast ? .gaveUp : .failed)
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

    private static func words(_ error: any Error) -> String {
        (error as? DeliveryError)?.description ?? outboxWords(error)
    }
}

/// The process ended in every attempt.
private struct Unfinished: Error {}
