import API
import Accounts
import Foundation
import Groups
import HTTP
import Mail
import Postgres
import Ranking
import Reactor
import Schema
import Study
import Time

/// The composition root: everything is made here, once, and handed over by initialiser. It needs the numbers of the rules.
struct App {
    let router: Router
    let serverConfiguration: ServerConfiguration
    let worker: MailWorker
    let housekeeping: Housekeeping
    let live: LiveBoards
    /// The whole table, for those who walk it: tests of authorisation and of the API's description.
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
        let unattended = UnattendedTimers(database: database, baseURL: baseURL)
        let worker = MailWorker(
            database: database, loop: group.loops[0], transport: transport, from: config.mailFrom,
            composers: AccountsMail(database: database, secret: secret, baseURL: baseURL).composers
                .merging(RankingMail(database: database, baseURL: baseURL).composers) { first, _ in first }
                .merging(unattended.composers) { first, _ in first },
            log: { log(.warning, $0) })

        let gate = Gate(database: database, secret: secret, baseURL: baseURL, limits: limits)
        let accounts = try AccountsRoutes(
            database: database, secret: secret, gate: gate, hasher: PasswordHasher(), limits: limits,
            mailWaits: { worker.poke() })
        let groups = GroupsRoutes(database: database, gate: gate, baseURL: baseURL)
        let study = StudyRoutes(database: database, gate: gate)
        let ranking = RankingRoutes(
            database: database, gate: gate,
            roundFailed: { log(.warning, "live boards failed", ["error": "\($0)"]) })
        let operation = OperationRoutes(database: database, migrations: migrations)
        let pages = try PageRoutes()

        routes = [
            accounts.routes, groups.routes, study.routes, ranking.routes, operation.routes, pages.routes, mailPages,
        ].flatMap { $0 }
        router = Router(routes.map(\.route), pageNotFound: pages.notFound, isSecure: config.isSecure) {
            error, request in
            log(
                .error, "\(request.method.rawValue) \(request.route) failed",
                ["request": request.id, "error": "\(error)"])
        }
        self.worker = worker
        live = ranking.live
        let closer = MonthCloser(database: database) { failure in
            log(
                .error, "a month could not be closed",
                ["group": "\(failure.group)", "month": failure.month.monthText, "error": "\(failure.reason)"])
        }
        housekeeping = Housekeeping(
            [
                .init(every: .milliseconds(500)) { try await RankFolder(database: database).run() },
                .init(every: .seconds(5)) { try await closer.run() },
                .init(every: .seconds(60)) { try await GroupMeans(database: database).renew() },
                .init(every: .seconds(60)) { try await ranking.live.forget() },
                .init(every: .seconds(60)) { try await OverdueTimers(database: database).end() },
                .init(every: .seconds(60)) { if try await unattended.mail() > 0 { worker.poke() } },
                .init(every: .seconds(3600)) { try await AccountsCleaning(database: database).run() },
                .init(every: .seconds(3600)) { _ = try await database.write(Outbox.forget) },
                .init(every: .seconds(3600)) { try await ForgottenChallenges(database: database).remove() },
            ], loop: group.loops[0], log: log)

        var server = ServerConfiguration()
        server.host = config.listen.host
        server.port = Int(config.listen.port)
        server.trustedProxies = config.trustedProxies
        serverConfiguration = server
    }

    /// How mail leaves, and the pages that show it when it only goes to files.
    private static func mail(
        _ config: Config, _ say: @escaping @Sendable (String) -> Void
    ) throws -> (MailTransport, [Endpoint]) {
        switch config.mail {
        case .smtp(let server):
            return (.smtp(server), [])
        case .folder(let url):
            let folder = try MailFolder(path: url.path(percentEncoded: false), announce: say)
            // Where others can reach the service, a proxy may make a request of theirs look like one of this machine.
            return (.folder(folder), config.isLocal ? MailFolderRoutes(folder: folder).routes : [])
        }
    }
}
