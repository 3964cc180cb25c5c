import HTTP
import Mail
import Postgres
import Reactor
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct LimitsTests {
    @Test func `after five wrong passwords the next ones cost 2, 4, 8 seconds up to 15 minutes`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        try await service.register()
        for _ in 0..<5 { #expect(try await service.signIn("ant@example.org", "wrong").code == "wrong_credentials") }
        for wait in [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            #expect(try await service.signIn("ant@example.org", "wrong").code == "wrong_credentials")
            let held = try await service.signIn()
            #expect(held.status == .tooManyRequests)
            #expect(held.code == "too_many_attempts")
            #expect(held.headers["Retry-After"] == "\(wait)")
            try await service.test.advance(wait)
        }
        #expect(try await service.signIn().status == .created)
        // A success clears them.
        for _ in 0..<5 { #expect(try await service.signIn("ant@example.org", "wrong").code == "wrong_credentials") }
        #expect(try await service.signIn().status == .created)
    }

    @Test func `wrong passwords from elsewhere do not keep the owner out`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        try await service.register()
        for _ in 0..<8 { _ = try await service.signIn("ant@example.org", "wrong", from: "192.0.2.7") }
        #expect(try await service.signIn(from: "192.0.2.7").status == .tooManyRequests)
        #expect(try await service.signIn(from: "192.0.2.8").status == .created)
        // Nor does the owner, who comes in, spare the guesser the wait.
        #expect(try await service.signIn(from: "192.0.2.7").status == .tooManyRequests)
    }

    @Test func `wrong passwords count by the address, however it is spelled`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        try await service.register()
        for spelling in ["ant", "ANT", "Ant", "aNt", "anT", "AnT"] {
            #expect(try await service.signIn("\(spelling)@example.org", "wrong").code == "wrong_credentials")
        }
        #expect(try await service.signIn("aNT@Example.ORG").code == "too_many_attempts")
    }

    @Test func `one person's IPv6 network counts as one client`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.register()
        for index in 0..<8 { _ = try await service.signIn("ant@example.org", "wrong", from: "2001:db8::\(index)") }
        #expect(try await service.signIn(from: "2001:db8::ffff").status == .tooManyRequests)
        #expect(try await service.signIn(from: "2001:db8:0:1::1").status == .created)
    }

    @Test func `wrong passwords are forgotten after twelve hours`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.test.setClock("2026-11-21T05:00:00Z")
        for _ in 0..<6 { _ = try await service.signIn("ant@example.org", "wrong") }
        try await service.test.advance(12 * 3600)
        for _ in 0..<6 { #expect(try await service.signIn("ant@example.org", "wrong").code == "wrong_credentials") }
        #expect(try await service.signIn("ant@example.org", "wrong").code == "too_many_attempts")
    }

    @Test func `a password for which the hasher has no room is not counted as wrong`() async throws {
        let service = try AccountsService(limits: .generous)
        let (_, bearer) = try await service.register()
        let full = try AccountsService(
            limits: .generous, pool: WorkerPool(threads: 1, queue: 0, patience: .seconds(1)))
        for _ in 0..<10 {
            for answer in [try await full.signIn(), await full.leave(bearer)] {
                #expect(answer.status == .unavailable && answer.code == "busy")
                #expect(answer.headers["Retry-After"] == "2")
            }
        }
        for _ in 0..<6 { #expect(try await service.signIn("ant@example.org", "wrong").code == "wrong_credentials") }
        #expect(try await service.signIn("ant@example.org", "wrong").code == "too_many_attempts")
        // Nor are the wrong ones forgotten.
        try await service.test.advance(3)
        #expect(try await full.signIn().code == "busy")
        #expect(try await service.signIn("ant@example.org", "wrong").code == "too_many_attempts")
    }

    @Test func `wrong passwords of an address are forgotten when its owner takes another`() async throws {
        let service = try AccountsService(limits: .generous)
        let (_, bearer) = try await service.register()
        for _ in 0..<6 { _ = try await service.signIn("ant@example.org", "wrong") }
        #expect(try await service.signIn("ant@example.org", "wrong").code == "too_many_attempts")
        try await service.test.advance(3)
        #expect(await service.ask("new@example.org", bearer).status == .accepted)
        for _ in 0..<6 { _ = try await service.signIn("ant@example.org", "wrong") }
        let token = try await service.mailedTokens().first { $0.kind == .emailChange }?.token
        #expect(await service.confirm(try #require(token)).status == .noContent)
        #expect(
            try await service.number(
                "SELECT count(*)::integer FROM rate_limits WHERE kind LIKE 'wrong_password%' AND hits > 0") == 0)
    }

    @Test func `parallel guesses are counted one by one`() async throws {
        let service = try AccountsService(limits: .generous)
        try await service.register()
        let codes = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<32 { group.addTask { try? await service.signIn("ant@example.org", "wrong").code } }
            return await group.reduce(into: [String: Int]()) { $0[$1 ?? "none", default: 0] += 1 }
        }
        #expect(codes == ["wrong_credentials": 6, "too_many_attempts": 26])
    }

    @Test func `a hundred wrong passwords from anywhere leave only the mail; live sign-ins go on`() async throws {
        let service = try AccountsService(limits: .generous)
        let (_, bearer) = try await service.register()
        for email in ["ant@example.org", "nobody@example.org"] {
            for index in 0..<100 { _ = try await service.signIn(email, "wrong", from: "192.0.2.\(index)") }
            let locked = try await service.signIn(email, from: "198.51.100.1")
            #expect(locked.status == .forbidden)
            #expect(locked.code == "password_locked")
        }
        #expect(await service.isSignedIn(bearer))

        // Time alone opens nothing.
        try await service.test.advance(31 * 86400)
        try await Chore.removeExpired(service.test.database).run()
        #expect(try await service.signIn("ant@example.org", from: "198.51.100.1").code == "password_locked")
        let reset = try await service.resetToken("ant@example.org")
        let answer = await service.client.put(
            "/api/v1/password-resets", json: ["token": .string(reset), "password": "a quite new one 7"])
        #expect(answer.status == .noContent)
        #expect(try await service.signIn("ant@example.org", "a quite new one 7", from: "192.0.2.1").status == .created)
    }

    @Test func `a client address has 30 password attempts in five minutes`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        for index in 0..<30 {
            #expect(try await service.signIn("ant\(index)@example.org", "wrong").code == "wrong_credentials")
        }
        let hashes = service.hasher.count
        let refused = try await service.signIn("bee@example.org", "wrong")
        #expect(refused.status == .tooManyRequests)
        #expect(refused.headers["Retry-After"] == "300")
        #expect(service.hasher.count == hashes)
        #expect(try await service.signIn("bee@example.org", "wrong", from: "192.0.2.1").status == .unauthorized)
        try await service.test.advance(300)
        #expect(try await service.signIn("bee@example.org", "wrong").status == .unauthorized)
    }

    @Test func `a client address has 30 tokens in five minutes and 200 registrations an hour`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        for _ in 0..<30 {
            #expect(await service.client.post("/api/v1/users", json: service.user(Token().text)).status == .gone)
        }
        let more = await service.client.put(
            "/api/v1/password-resets", json: ["token": .string(Token().text), "password": "a quite new one 7"])
        #expect(more.status == .tooManyRequests)

        for index in 0..<200 {
            let answer = await service.client.post(
                "/api/v1/registrations", json: ["email": .string("ant\(index)@example.org")])
            #expect(answer.status == .accepted)
        }
        let refused = await service.client.post("/api/v1/registrations", json: ["email": "bee@example.org"])
        #expect(refused.status == .tooManyRequests)
        #expect(refused.headers["Retry-After"] == "3600")
    }

    @Test func `more mail to one address than allowed is dropped without a trace in the answer`() async throws {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        for _ in 0..<3 {
            let answer = await service.client.post("/api/v1/registrations", json: ["email": "ant@example.org"])
            #expect(answer.status == .accepted)
            #expect(
                await service.client.post("/api/v1/password-resets", json: ["email": "Ant@Example.org"]).status
                    == .accepted)
        }
        #expect(try await service.mail().map(\.kind.rawValue).sorted() == ["password_reset", "registration"])
    }

    @Test func `every spelling of an address counts as the same, and the mail goes to the one that was written`()
        async throws
    {
        let service = try AccountsService()
        try await service.test.setClock("2026-11-21T05:00:00Z")
        for email in ["Ant@Example.org", "ant@ｅxample.org", "ant@exａmple。org", "ANT@EXAMPLE.ORG"] as [JSON] {
            #expect(await service.client.post("/api/v1/registrations", json: ["email": email]).status == .accepted)
        }
        #expect(try await service.mail().map(\.message.to.address) == ["Ant@Example.org"])
    }

    @Test func `when a counter cannot be written nobody gets through`() async throws {
        let service = try AccountsService()
        let (_, bearer) = try await service.register()
        try await service.test.sql("DROP TABLE rate_limits")
        let answers = [
            try await service.signIn(),
            await service.client.post("/api/v1/registrations", json: ["email": "bee@example.org"]),
            await service.client.post("/api/v1/users", json: service.user(Token().text)),
            await service.client.post("/api/v1/password-resets", json: ["email": "ant@example.org"]),
            await service.client.post("/api/v1/email-reminders", json: ["email": "ant@example.org"]),
            await service.client.post("/api/v1/email-changes", json: ["token": .string(Token().text)]),
            await service.client.post("/api/v1/email-changes/cancellations", json: ["token": .string(Token().text)]),
            await service.ask("bee@example.org", bearer),
            await service.client.put(
                "/api/v1/me/password",
                json: ["current": .string(AccountsService.password), "new": "a quite new one 7"], bearer: bearer),
        ]
        for answer in answers {
            #expect(answer.status == .unavailable)
            #expect(answer.headers["Retry-After"] != nil)
        }
    }

    @Test func `the 301st request of a sign-in within ten seconds is refused`() async throws {
        let service = try AccountsService(instant: .now)
        let (_, bearer) = try await service.register()
        for _ in 0..<300 { _ = await service.client.get("/api/v1/me", bearer: bearer) }
        let refused = await service.client.get("/api/v1/me", bearer: bearer)
        #expect(refused.code == "too_many_requests")
        #expect(refused.headers["Retry-After"] != nil)
        #expect(await service.isSignedIn(try service.bearer()))
    }

    /// A classroom shares one address.
    @Test func `right passwords and links that open an account do not count against an address`() async throws {
        var limits = Limits()
        (limits.passwordAttempts, limits.tokenSubmissions) = (Limits.Rate(3, in: 300), Limits.Rate(3, in: 300))
        let service = try AccountsService(limits: limits)
        for index in 0..<5 {
            try await service.register("ant\(index)@example.org", nickname: "Ant")
            #expect(try await service.signIn("ant\(index)@example.org").status == .created)
        }
        for _ in 0..<3 {
            #expect(try await service.signIn("ant0@example.org", "wrong").code == "wrong_credentials")
            let answer = await service.client.post("/api/v1/users", json: service.user(Token().text))
            #expect(answer.code == "token_used_or_expired")
        }
        #expect(try await service.signIn("ant0@example.org").code == "too_many_attempts")
        let answer = await service.client.post("/api/v1/users", json: service.user(Token().text))
        #expect(answer.code == "too_many_attempts")
    }

    @Test func `an address that has made too many requests is not looked up`() async throws {
        let service = try AccountsService(instant: .now)
        let (_, known) = try await service.register()
        #expect(await service.isSignedIn(known))
        let unknown = try await service.bearer()
        for _ in 0..<300 { _ = await service.client.get("/api/v1/me", bearer: Token().text) }
        // A sign-in that the database has, and nobody has used here yet.
        #expect(await service.client.get("/api/v1/me", bearer: unknown).code == "too_many_requests")
        #expect(await service.isSignedIn(known))
    }
}
