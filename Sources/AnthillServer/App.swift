import API
import Accounts
import Foundation
import Groups
import HTTP
import Mail
import Moderation
import Outgoing
import Pictures
import Postgres
import Push
import Ranking
import Reactor
import Study
import Time
import Webhooks

/// The composition root: everything is made here, once, and handed over by initialiser. It needs the numbers of the
/// rules.
struct App {
    let router: Router
    /// Whether the program lives and is ready.
    let health: [Route]
    let serverConfiguration: ServerConfiguration
    let worker: MailWorker
    let pushes: PushWorker
    let webhooks: WebhookWorker
    /// The composers of all kinds of mail.
    let letters: [MailKind: Composer]
    let housekeeping: Housekeeping
    let live: LiveBoards
    /// All endpoints, for the tests of authorisation and of the API's description.
    let routes: [Endpoint]

    init(
        _ config: Config, database: Database, migrations: Migrations, group: EventLoopGroup, log: Log,
        say: @escaping @Sendable (String) -> Void
    ) throws {
        let baseURL = config.baseURL.absoluteString
        let secret = Secret(config.secret)
        var limits = Limits()
        limits.apiRequests = .init(config.apiLimit ?? .max, in: 10)

        let (transport, mailPages) = try App.mail(config, say)
        let worker = MailWorker(
            database: database, loop: group.loops[0], transport: transport, from: config.mailFrom,
            log: { log(.warning, $0) })
        let gate = Gate(database: database, secret: secret, baseURL: baseURL, limits: limits)
        let optOuts = OptOuts(secret: secret, baseURL: baseURL)
        let ranking = RankingFeature(
            database: database, gate: gate, secret: secret, baseURL: baseURL, optOuts: optOuts,
            roundFailed: { log(.warning, "live boards failed", ["error": "\($0)"]) },
            closingFailed: { failure in
                log(
                    .error, "a month could not be closed",
                    ["group": "\(failure.group)", "month": failure.month.monthText, "error": "\(failure.reason)"])
            })
        let vapid = Vapid(secret, contact: config.contact)
        let pushSettings = OutboxSettings(atOnce: 16)
        let strangers = WebClient(threads: pushSettings.atOnce, source: .anybody(orThisMachine: config.isLocal))
        let pushes = PushWorker(
            database: database, loop: group.loops[0], web: strangers, vapid: vapid, settings: pushSettings,
            log: { log(.warning, $0) })
        let webhookSettings = OutboxSettings(atOnce: 8)
        let receivers = WebClient(threads: webhookSettings.atOnce, source: .anybody(orThisMachine: config.isLocal))
        let webhooks = WebhookWorker(
            database: database, loop: group.loops[0], web: receivers, secret: secret, baseURL: baseURL,
            settings: webhookSettings, log: { log(.warning, $0) })
        let features: [any Feature] = [
            try AccountsFeature(
                database: database, secret: secret, gate: gate, hasher: PasswordHasher(),
                pictures: PictureMaker { log(.warning, $0) }, limits: limits, baseURL: baseURL,
                registration: config.registration, sendsMail: config.sendsMail,
                providers: config.providers,
                providerFailed: { log(.warning, "a provider failed", ["provider": $0]) }),
            GroupsFeature(database: database, gate: gate, baseURL: baseURL),
            StudyFeature(
                database: database, gate: gate, secret: secret, baseURL: baseURL, optOuts: optOuts),
            ranking,
            ModerationFeature(
                database: database, gate: gate,
                links: OperatorLinks(database: database, secret: secret, baseURL: baseURL),
                sendsMail: config.sendsMail),
            PushFeature(database: database, gate: gate, vapid: vapid, web: strangers, worker: pushes),
            WebhooksFeature(database: database, gate: gate, secret: secret, web: receivers, worker: webhooks),
        ]
        let operation = OperationRoutes(database: database, migrations: migrations)
        let api = Router(features.flatMap { $0.routes }.map(\.route), failed: log.failure)
        let pages = try PageRoutes(gate, site: baseURL, api: api)

        routes = features.flatMap { $0.routes } + operation.routes + pages.routes + mailPages
        router = try Router(
            routes.map(\.route), pageNotFound: pages.notFound(), isSecure: config.isSecure, failed: log.failure)
        health = operation.routes.map(\.route)
        self.worker = worker
        self.pushes = pushes
        self.webhooks = webhooks
        live = ranking.live
        letters = features.reduce([:]) { $0.and($1.letters) }
        housekeeping = Housekeeping(
            features.flatMap { $0.chores } + [Outbox.cleaning(database)], loop: group.loops[0], log: log)

        var server = ServerConfiguration()
        server.host = config.listen.host
        server.port = Int(config.listen.port)
        server.trustedProxies = config.trustedProxies
        serverConfiguration = server
    }

    /// How mail leaves, and the pages that show it when it only goes to files.
    static func mail(
        _ config: Config, _ say: @escaping @Sendable (String) -> Void
    ) throws -> (MailTransport, [Endpoint]) {
        switch config.mail {
        case .smtp(let server):
            return (.smtp(server), [])
        case .none: return (.nowhere, [])
        case .folder(let url):
            let path = url.path(percentEncoded: false)
            let isLocal = config.isLocal
            guard let folder = try? MailFolder(path: path, announcingLinks: isLocal, announce: say) else {
                throw Config.Refusal(
                    variable: "ANTHILL_HOME", reason: "cannot be used: the folder \(path) for mails cannot be made")
            }
            // Where others can reach the service, a proxy may make a request of theirs look like one of this machine.
            return (.folder(folder), isLocal ? MailFolderRoutes(folder: folder).routes : [])
        }
    }
}
