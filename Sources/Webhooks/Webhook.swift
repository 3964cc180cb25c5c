import API
import Accounts
import Foundation
import HTTP
import Outgoing
import Postgres
import Time

/// How a receiver wants to be told.
enum WebhookKind: String, Encodable, Sendable {
    /// A signed document, as Standard Webhooks says.
    case json
    /// A message of a channel.
    case discord, slack
}

/// What a webhook can be told of.
enum WebhookEvent: String, Encodable, Sendable, CaseIterable {
    case monthClosed = "month_closed"
    case weeklyStanding = "weekly_standing"
    case newMember = "new_member"
}

/// A webhook as admins see it. Its address is never shown: everybody who has it may write there.
struct Webhook: Encodable, Sendable {
    let id: ID
    let kind: String
    let events: [String]
    let host: String
    let locale: String
    let createdAt: Instant
    /// Why it is off, as openapi.yaml lists it; nil while it is on.
    @OrNull var offBecause: String?
    @OrNull var offSince: Instant?
}

/// A webhook as an admin asks for it.
struct WantedWebhook: Sendable {
    let url: String
    let host: String
    let kind: WebhookKind
    let events: [WebhookEvent]
    let language: Language

    init(_ request: Request, _ web: WebClient) throws {
        let fields = try request.json("url", "kind", "events", "locale")
        url = try fields.string("url")
        guard url.utf8.count <= 2000, web.mayAsk(url), let host = URLComponents(string: url)?.host else {
            throw Refusal.webhooks.invalidURL
        }
        self.host = host
        guard let kind = WebhookKind(rawValue: try fields.string("kind")) else { throw Refusal.webhooks.unknownKind }
        self.kind = kind
        events = try Self.events(fields.texts("events") { $0 })
        let locale = try fields.optionalString("locale") ?? request.language.rawValue
        guard let language = Language(rawValue: locale) else { throw Refusal.accounts.unknownLocale }
        self.language = language
    }

    static func events(_ names: [String]) throws -> [WebhookEvent] {
        let events = names.map(WebhookEvent.init)
        guard !events.isEmpty, !events.contains(nil) else { throw Refusal.webhooks.unknownEvents }
        return WebhookEvent.allCases.filter(events.contains)
    }
}

/// The address and the signature of a webhook, which only the service's secret gives back.
struct WebhookSecrets: Sendable {
    let secret: Secret

    func seal(_ url: String) -> [UInt8] { secret.seal(.webhookAddress, Array(url.utf8)) }

    func open(_ sealed: [UInt8]) -> String? {
        secret.open(.webhookAddress, sealed).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// What a receiver checks signatures with, as Standard Webhooks writes it.
    func signingSecret(of webhook: ID) -> String { "whsec_\(Data(key(of: webhook)).base64EncodedString())" }

    /// The header `webhook-signature`.
    func signature(_ id: String, at time: Int, _ body: [UInt8], by webhook: ID) -> String {
        let signed = Array("\(id).\(time).".utf8) + body
        return "v1,\(Data(hmacSHA256(key: key(of: webhook), signed)).base64EncodedString())"
    }

    private func key(of webhook: ID) -> [UInt8] {
        secret.mac(.webhookSigning, withUnsafeBytes(of: webhook.bytes, Array.init))
    }
}

/// A delivery to a webhook and its result.
struct WebhookDelivery: Encodable, Sendable {
    let id: ID
    let event: String
    /// `waiting`, `sent` or `failed`.
    let state: String
    let createdAt: Instant
    let attempts: Int
    @OrNull var triedAt: Instant?
    /// When it is tried next, while it waits.
    @OrNull var nextAt: Instant?
    /// A ``WebhookFailure``; nil if it arrived, and if the receiver's answer says why not.
    @OrNull var failure: String?
    /// The status of the last answer; nil if none came.
    @OrNull var status: Int?
    /// What the receiver said, or what libcurl says of a failure without a name; nil when it was taken.
    @OrNull var answer: String?
}

/// Why a webhook was not told, as the API and the database name it.
enum WebhookFailure: String, Sendable, CaseIterable {
    case unknownHost = "unknown_host"
    case connectionRefused = "connection_refused"
    case timedOut = "timed_out"
    case noTLS = "no_tls"
    case badCertificate = "bad_certificate"
    case privateNetwork = "private_network"
    case redirect
    /// The address was sealed with another secret than the service has now.
    case secretChanged = "secret_changed"
    /// Anything else; `answer` has what libcurl says.
    case unreachable

    init(_ reason: WebClient.Failure.Reason) {
        switch reason {
        case .unknownHost: self = .unknownHost
        case .connectionRefused: self = .connectionRefused
        case .timedOut: self = .timedOut
        case .noTLS: self = .noTLS
        case .badCertificate: self = .badCertificate
        case .privateNetwork: self = .privateNetwork
        case .other: self = .unreachable
        }
    }
}
