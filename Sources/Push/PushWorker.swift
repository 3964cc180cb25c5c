import API
import Accounts
import HTTP
import Mail
import Outgoing
import Postgres
import Reactor

/// Sends pushes, retrying each until it expires.
package final class PushWorker: OutboxWorker {
    package let counts = DeliveryCounts()
    package let rhythm: OutboxLoop
    private let outbox: PushOutbox
    private let web: WebClient
    private let vapid: Vapid
    private let backoff: Backoff
    private let log: @Sendable (String) -> Void
    private let lease = WebClient.longest + .seconds(30)

    /// `web` has a thread for each push that is sent at once. `log` is told what went wrong, without addresses or keys.
    package init(
        database: Database, loop: EventLoop, web: WebClient, vapid: Vapid, settings: OutboxSettings,
        log: @escaping @Sendable (String) -> Void
    ) {
        outbox = PushOutbox(database: database)
        rhythm = OutboxLoop("the push outbox", on: loop, settings, log: log)
        self.web = web
        self.vapid = vapid
        backoff = settings.backoff
        self.log = log
    }

    package func start() {
        rhythm.start(
            claim: { [outbox, lease] in try await outbox.claim($0, lease: lease) }, deliver: { await self.deliver($0) })
    }

    private func deliver(_ push: WaitingPush) async {
        do {
            switch try await send(push) {
            case .taken:
                counts.count(.sent)
                try await outbox.remove(push)
            case .gone:
                counts.count(.gaveUp)
                try await outbox.forgetBrowser(of: push)
            case .refused(let why): try await giveUp(push, why)
            case .failed(let why, let wait): try await postpone(push, why, wait)
            }
        } catch {
            // The lease runs out by itself, and the push is due again.
            log("push \(push.id): that cannot be written down: \(outboxWords(error))")
        }
    }

    /// What became of an attempt.
    private enum Outcome {
        case taken
        /// There is no such browser any more.
        case gone
        /// The push service does not take it, and would not take it later.
        case refused(String)
        /// It may work later, after that wait if the push service asked for one.
        case failed(String, Duration?)
    }

    private func send(_ push: WaitingPush) async throws -> Outcome {
        guard push.secondsLeft > 0 else { return .refused("its time is over") }
        guard let text = PushText(push),
            let body = SealedPush.seal(try text.bytes, for: push.deviceKey, push.authentication),
            let authorization = vapid.authorization(for: push.endpoint, at: push.now)
        else { return .refused("it cannot be written") }
        do {
            let answer = try await web.post(
                push.endpoint,
                headers: [
                    "Authorization: \(authorization)", "TTL: \(push.secondsLeft)", "Urgency: \(text.urgency)",
                    "Topic: \(Self.topic(push))", "Content-Encoding: aes128gcm",
                    "Content-Type: application/octet-stream",
                ], body: body)
            let words = "the push service answered \(answer.status)"
            switch answer.status {
            case 200..<300: return .taken
            case 404, 410: return .gone
            case 408, 429, 500...: return .failed(words, answer.retryAfter.map { .seconds($0) })
            default: return .refused(words)
            }
        } catch let failure as WebClient.Failure {
            return .failed(failure.description, nil)
        }
    }

    /// Push services keep one push of a topic for a browser that is away. The name tells them nothing.
    private static func topic(_ push: WaitingPush) -> String {
        String(base64url(sha256(Array("\(push.subscription) \(push.topic)".utf8))).prefix(32))
    }

    private func postpone(_ push: WaitingPush, _ why: String, _ wait: Duration?) async throws {
        var random = SystemRandomNumberGenerator()
        let delay = max(backoff.delay(after: push.attempt, using: &random), wait ?? .zero)
        guard delay < .seconds(push.secondsLeft) else { return try await giveUp(push, why) }
        counts.count(.failed)
        log("push \(push.id) (\(push.kind)), attempt \(push.attempt): \(why)")
        try await outbox.postpone(push, by: delay, because: why)
    }

    private func giveUp(_ push: WaitingPush, _ why: String) async throws {
        counts.count(.gaveUp)
        log("push \(push.id) (\(push.kind)), attempt \(push.attempt), the last: \(why)")
        try await outbox.remove(push)
    }
}
