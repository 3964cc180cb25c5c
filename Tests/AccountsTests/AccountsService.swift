import API
import Foundation
import HTTP
import Pictures
import Postgres
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Accounts
@testable import Mail

/// Accounts as the program wires it, over the running test's database; its mail is composed as the worker does it and
/// read instead of sent.
struct AccountsService: Sendable {
    static let baseURL = "http://localhost:8080"
    static let password = "gratnubel im Regen"
    /// The program as it was built beside these tests.
    static let program = Bundle.main.executableURL!.deletingLastPathComponent().appending(path: "anthill").path

    let test = TestDatabase.current
    let secret = Secret("a secret for the tests, 32 characters")
    let hasher: PasswordHasher
    let routes: [Endpoint]
    let router: Router
    let client: Client
    private let letters: [MailKind: Composer]

    init(
        baseURL: String = AccountsService.baseURL, limits: Limits = Limits(), cost: PasswordHasher.Cost = .cheap,
        pool: WorkerPool = WorkerPool(threads: 2, queue: 64, patience: .seconds(60)),
        registration: RegistrationMode = .open, sendsMail: Bool = true, providers: [Provider] = [],
        pictures: PictureMaker = PictureMaker(program: program), instant: ContinuousClock.Instant? = nil,
        further: (Gate) -> [Endpoint] = { _ in [] }
    ) throws {
        let database = test.service
        hasher = PasswordHasher(cost, pool: pool)
        let gate = Gate(database: database, secret: secret, baseURL: baseURL, limits: limits, now: { instant ?? .now })
        let accounts = try AccountsFeature(
            database: database, secret: secret, gate: gate, hasher: hasher, pictures: pictures, limits: limits,
            baseURL: baseURL, registration: registration, sendsMail: sendsMail, providers: providers)
        routes = accounts.routes + further(gate)
        router = Router(routes.map(\.route))
        client = Client(router)
        letters = accounts.letters
    }

    /// Composes every mail that is due, keeps what belongs to it, and answers the messages by kind.
    func mail() async throws -> [(kind: MailKind, message: Message)] {
        let outbox = OutboxStore(database: test.service)
        var messages: [(MailKind, Message)] = []
        for item in try await outbox.claim(Array(letters.keys), limit: 100, lease: .seconds(60)) {
            let compose = try #require(letters[item.kind])
            if let composition = try await compose(item) {
                try await outbox.commit(composition.commit, for: item, lease: .seconds(60))
                messages.append((item.kind, composition.message))
            }
            try await outbox.finish(item)
        }
        return messages
    }

    /// The token in the link of the only mail that is due.
    func mailedToken() async throws -> String {
        let messages = try await mail()
        try #require(messages.count == 1)
        let link = try #require(messages[0].message.link)
        return String(try #require(link.split(separator: "#token=").last))
    }

    /// The token of a registration mail to `email`.
    func registrationToken(_ email: String, invitation: String? = nil) async throws -> String {
        let body: JSON = ["email": .string(email), "invitation": invitation.map(JSON.string) ?? .null]
        #expect(await client.post("/api/v1/registrations", json: body).status == .accepted)
        return try await mailedToken()
    }

    /// The token of a reset mail to `email`.
    func resetToken(_ email: String) async throws -> String {
        #expect(await client.post("/api/v1/password-resets", json: ["email": .string(email)]).status == .accepted)
        return try await mailedToken()
    }

    /// Somebody who went the whole way, and their bearer token.
    @discardableResult
    func register(_ email: String = "ant@example.org", nickname: String = "여왕개미") async throws -> (
        uid: ID, bearer: String
    ) {
        let token = try await registrationToken(email)
        let answer = await client.post("/api/v1/users", json: user(token, nickname: nickname))
        #expect(answer.status == .created)
        let uid = try #require(answer.json["user"]["uid"].string.flatMap(ID.init))
        return (uid, try #require(answer.json["sign_in"]["token"].string))
    }

    func user(_ token: String, nickname: String = "여왕개미", password: String = AccountsService.password) -> JSON {
        ["token": .string(token), "nickname": .string(nickname), "password": .string(password)]
    }

    func signIn(
        _ email: String = "ant@example.org", _ password: String = AccountsService.password,
        from client: String = "127.0.0.1"
    ) async throws -> Answer {
        await self.client.send(
            .post, "/api/v1/sign-ins", json: ["email": .string(email), "password": .string(password)],
            client: try #require(ClientAddress(client)))
    }

    /// A new sign-in's bearer token.
    func bearer(_ email: String = "ant@example.org", _ password: String = AccountsService.password) async throws
        -> String
    {
        try #require(try await signIn(email, password).json["sign_in"]["token"].string)
    }

    func leave(_ bearer: String, _ body: JSON = ["password": .string(AccountsService.password)]) async -> Answer {
        await client.send(.delete, "/api/v1/me", json: body, bearer: bearer)
    }

    func isSignedIn(_ bearer: String) async -> Bool { await client.get("/api/v1/me", bearer: bearer).status == .ok }

    /// The one number that a query answers.
    func number(_ query: Query) async throws -> Int {
        try #require(try await test.database.read(query).first).decode(Int.self)
    }
}
