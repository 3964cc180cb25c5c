import HTTP
import Postgres
import TestSupport
import Testing
import Time

@testable import Accounts

@Suite(.database) struct KnownSignInsTests {
    private let database = TestDatabase.current.database
    private let known: KnownSignIns

    init() {
        known = KnownSignIns(
            store: SignInStore(database: database, secret: Person.secret), changes: Changes(database: database))
    }

    /// Somebody whose sign-in is answered from memory.
    private func remembered() async throws -> (uid: ID, token: Token) {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let person = try await Person("Dodam", Client(Router([])))
        let token = try #require(Token(person.token))
        // The first question tells nothing yet.
        for _ in 0..<3 { #expect(try await known.find(token)?.uid == person.uid) }
        #expect(try await known.find(token)?.moment != nil)
        return (person.uid, token)
    }

    /// Whatever ends a sign-in without this instance: another instance, or an admin.
    @Test(arguments: [
        "DELETE FROM sign_ins",
        "TRUNCATE sign_ins",
        "UPDATE sign_ins SET expires_at = anthill_clock()",
        "UPDATE sign_ins SET auth_epoch = auth_epoch + 1",
        "UPDATE sign_ins SET token_mac = sha256(token_mac)",
        "UPDATE users SET auth_epoch = auth_epoch + 1",
        "UPDATE users SET status = 'suspended'",
        "DELETE FROM users",
    ])
    func `a sign-in that somebody else ended is over at once`(statement: String) async throws {
        let (_, token) = try await remembered()
        try await TestDatabase.current.sql(statement)
        #expect(try await known.find(token) == nil)
        #expect(try await known.find(token) == nil)
    }

    @Test func `a sign-in ends at its time`() async throws {
        let (_, token) = try await remembered()
        _ = try await database.write("UPDATE sign_ins SET expires_at = anthill_clock() + interval '90 seconds'")
        #expect(try await known.find(token)?.moment == nil)
        #expect(try await known.find(token)?.moment != nil)
        try await TestDatabase.current.advance(59)
        #expect(try await known.find(token)?.moment != nil)
        try await TestDatabase.current.advance(31)
        #expect(try await known.find(token) == nil)
    }

    @Test func `that a device is used is written down every ten minutes, from memory or not`() async throws {
        let (uid, token) = try await remembered()
        func lastSeen() async throws -> String {
            try await database.read("SELECT last_seen_at FROM sign_ins WHERE uid = \(uid)")[0].decode(Instant.self)
                .description
        }
        for minute in 1...21 {
            try await TestDatabase.current.advance(60)
            _ = try await known.find(token)
            _ = try await known.find(token)
            let expected = "2026-11-21T03:\(["00", "10", "20"][minute / 10]):00Z"
            #expect(try await lastSeen() == expected)
        }
    }

    @Test func `who signs out at one instance is out at the other`() async throws {
        let gates = [Person.gate(), Person.gate()]
        let clients = gates.map { gate in
            Client(
                Router(
                    [
                        gate.user(.get, "/api/v1/me") { _, _ in .noContent },
                        gate.user(.delete, "/api/v1/sign-ins/current") { _, caller in
                            _ = try await TestDatabase.current.database.write(
                                "DELETE FROM sign_ins WHERE uid = \(caller.uid) AND id = \(caller.signIn)")
                            return .noContent
                        },
                    ].map(\.route)))
        }
        let person = try await Person("Dodam", clients[0])
        for _ in 0..<4 {
            for client in clients {
                #expect(await client.get("/api/v1/me", bearer: person.token).status == .noContent)
            }
        }
        #expect(await person.delete("/sign-ins/current").status == .noContent)
        for client in clients.reversed() {
            #expect(await client.get("/api/v1/me", bearer: person.token).status == .unauthorized)
        }
    }

    @Test func `others are forgotten when there are too many`() async throws {
        let few = KnownSignIns(
            store: SignInStore(database: database, secret: Person.secret), changes: Changes(database: database), most: 2
        )
        var tokens: [Token] = []
        for name in ["Dodam", "Haneul", "Sol"] {
            tokens.append(try #require(Token(try await Person(name, Client(Router([]))).token)))
        }
        for _ in 0..<3 { #expect(try await few.find(tokens[0]) != nil) }
        #expect(try await few.find(tokens[0])?.moment != nil)
        for token in tokens[1...] { #expect(try await few.find(token)?.moment == nil) }
        #expect(try await few.find(tokens[0])?.moment == nil)
        #expect(try await few.find(tokens[2])?.moment != nil)
    }
}
