import API
import Accounts
import HTTP
import Mail
import Outgoing
import Postgres
import Reactor
import Time

/// Tells webhooks what happens in their groups.
package final class WebhookWorker: OutboxWorker {
    /// How attempts to deliver ended.
    package let counts = DeliveryCounts()
    package let rhythm: OutboxLoop
    private let outbox: WebhookOutbox
    private let web: WebClient
    private let secrets: WebhookSecrets
    private let baseURL: String
    private let backoff: Backoff
    private let log: @Sendable (String) -> Void
    private let lease = WebClient.longest + .seconds(30)

    /// `web` has a thread for each delivery that is under way at once. `log` is told what went wrong, without
    /// addresses.
    package init(
        database: Database, loop: EventLoop, web: WebClient, secret: Secret, baseURL: String,
        settings: OutboxSettings, log: @escaping @Sendable (String) -> Void
    ) {
        outbox = WebhookOutbox(database: database)
        rhythm = OutboxLoop("the outbox of webhooks", on: loop, settings, log: log)
        self.web = web
        secrets = WebhookSecrets(secret: secret)
        self.baseURL = baseURL
        backoff = settings.backoff
        self.log = log
    }

    package func start() {
        rhythm.start(
            claim: { [outbox, lease] in try await outbox.claim($0, lease: lease) }, deliver: { await self.deliver($0) })
    }

    private func deliver(_ delivery: WaitingDelivery) async {
        do {
            let outcome = try await send(delivery)
            var random = SystemRandomNumberGenerator()
            let delay = max(backoff.delay(after: delivery.attempt, using: &random), outcome.wait ?? .zero)
            // A test is tried once.
            let isLast = delivery.attempt >= backoff.attempts || delivery.event == "test"
            try await outbox.end(delivery, outcome, retryAfter: outcome.wasTaken || isLast ? nil : delay)
            counts.count(outcome.wasTaken ? .sent : outcome.isGone || isLast ? .gaveUp : .failed)
        } catch {
            // The lease runs out by itself, and it is due again.
            log("delivery \(delivery.id) to a webhook cannot be written down: \(outboxWords(error))")
        }
    }

    private func send(_ delivery: WaitingDelivery) async throws -> WebhookOutbox.Outcome {
        guard let url = secrets.open(delivery.sealedAddress) else {
            return .init(isGone: true, failure: .secretChanged)
        }
        let body = try WebhookMessage(delivery, baseURL: baseURL).bytes(for: delivery.kind, in: delivery.language)
        do {
            let answer = try await web.post(url, headers: headers(delivery, body), body: body)
            switch answer.status {
            case 200..<300: return .init(wasTaken: true, status: answer.status)
            case 300..<400: return .init(status: answer.status, failure: .redirect)
            default:
                return .init(
                    isGone: answer.status == 410, status: answer.status, words: Self.words(of: answer.body),
                    wait: answer.retryAfter.map { .seconds(min($0, 86400)) })
            }
        } catch let failure as WebClient.Failure {
            return .init(
                failure: WebhookFailure(failure.reason), words: failure.reason == .other ? failure.description : nil)
        }
    }

    /// Receivers of kind `json` verify the signature, and use the id to detect repeats.
    private func headers(_ delivery: WaitingDelivery, _ body: [UInt8]) -> [String] {
        let type = "Content-Type: application/json"
        guard delivery.kind == .json else { return [type] }
        let (id, time) = (delivery.id.description, delivery.now.secondsSince1970)
        return [
            type, "webhook-id: \(id)", "webhook-timestamp: \(time)",
            "webhook-signature: \(secrets.signature(id, at: time, body, by: delivery.webhook))",
        ]
    }

    /// The beginning of what the receiver said, on one line; nil if that is nothing.
    static func words(of body: [UInt8]) -> String? {
        let text = String(decoding: body.prefix(1000), as: UTF8.self)
        let visible = text.unicodeScalars.map { PlainText.isVisible($0) && $0 != "\u{FFFD}" ? Character($0) : " " }
        let line = String(visible).split(separator: " ").joined(separator: " ")
        return line.isEmpty ? nil : String(String.UnicodeScalarView(line.unicodeScalars.prefix(200)))
    }
}
