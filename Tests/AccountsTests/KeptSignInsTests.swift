import API
import Foundation
import HTTP
import Postgres
import Synchronization
import TestSupport
import Testing
import Time

@testable import Accounts

@Suite(.database) struct KeptSignInsTests {
    private let database = TestDatabase.current.database
    private let instance = Instance()

    /// One instance's memory of sign-ins.
    private struct Instance {
        let feed = ChangeFeed(database: TestDatabase.current.database)
        let store = SignInStore(database: TestDatabase.current.database, secret: Person.secret)
        let kept: Kept<[UInt8], SignInStore.Found>

        init(most: Int = 100) { kept = Kept(feed, most: most) }

        /// Whose token it is, as the gate finds it; nil for nobody's.
        func find(_ token: Token) async throws -> ID? {
            let mac = token.mac(.signIn, store.secret)
            return try? await kept.value(mac, at: feed.position()) { [store] in try await store.find(mac) }.uid
        }

        /// Whether it is found, and was found in memory.
        func remembers(_ token: Token) async throws -> Bool {
            let loads = kept.loadCount
            return try await find(token) != nil && kept.loadCount == loads
        }
    }

    /// Somebody whose sign-in these answer from memory.
    private func remembered(by instances: [Instance]) async throws -> (uid: ID, token: Token) {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let person = try await Person("Dodam", Client(Router([])))
        let token = try #require(Token(person.token))
        for instance in instances {
            #expect(try await instance.find(token) == person.uid)
            #expect(try await instance.remembers(token))
        }
        return (person.uid, token)
    }

    /// Whatever ends a sign-in without this instance: another instance, or an admin.
    @Test(arguments: [
        "DELETE FROM sign_ins",
        "TRUNCATE sign_ins CASCADE",
        "UPDATE sign_ins SET expires_at = anthill_clock()",
        "UPDATE sign_ins SET auth_epoch = auth_epoch + 1",
        "UPDATE sign_ins SET token_mac = sha256(token_mac)",
        "UPDATE users SET auth_epoch = auth_epoch + 1",
        "UPDATE users SET status = 'suspended'",
        "UPDATE users SET leaves_at = anthill_clock()",
        "DELETE FROM users",
    ])
    func `a sign-in that somebody else ended is over at once, on every instance`(statement: String) async throws {
        let instances = [instance, Instance()]
        let (_, token) = try await remembered(by: instances)
        try await TestDatabase.current.sql(statement)
        for instance in instances + instances { #expect(try await instance.find(token) == nil) }
    }

    @Test func `a sign-in that a transaction open for minutes ends is over with its commit, on every instance`()
        async throws
    {
        let instances = [instance, Instance()]
        let (uid, token) = try await remembered(by: instances)
        try await TestDatabase.current.withAnother { other in
            try await other.transaction {
                try await other.write("DELETE FROM sign_ins WHERE uid = \(uid)")
                for _ in 0..<10 {
                    try await TestDatabase.current.advance(30)
                    // What is too old to be asked for goes, and others go on changing things.
                    _ = try await database.write("SELECT forget_changes()")
                    _ = try await database.write("SELECT note_change(gen_random_uuid())")
                    for instance in instances { #expect(try await instance.find(token) == uid) }
                }
                for instance in instances { #expect(try await instance.remembers(token)) }
            }
        }
        for instance in instances { #expect(try await instance.find(token) == nil) }
    }

    @Test func `a sign-in ends at its time`() async throws {
        let (_, token) = try await remembered(by: [instance])
        _ = try await database.write("UPDATE sign_ins SET expires_at = anthill_clock() + interval '90 seconds'")
        #expect(try await !instance.remembers(token))
        #expect(try await instance.remembers(token))
        try await TestDatabase.current.advance(59)
        #expect(try await instance.remembers(token))
        try await TestDatabase.current.advance(31)
        #expect(try await instance.find(token) == nil)
    }

    @Test func `last use of a device is recorded every ten minutes, cached or not`() async throws {
        let (uid, token) = try await remembered(by: [instance])
        func lastSeen() async throws -> String {
            try await database.read("SELECT last_seen_at FROM sign_ins WHERE uid = \(uid)")[0].decode(Instant.self)
                .description
        }
        for minute in 1...21 {
            try await TestDatabase.current.advance(60)
            _ = try await instance.find(token)
            _ = try await instance.find(token)
            let expected = "2026-11-21T03:\(["00", "10", "20"][minute / 10]):00Z"
            #expect(try await lastSeen() == expected)
        }
    }

    @Test func `a sign-out at one instance is one at the other`() async throws {
        let clients = [Person.gate(), Person.gate()].map { gate in
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
        let few = Instance(most: 2)
        var tokens: [Token] = []
        for name in ["Dodam", "Haneul", "Sol"] {
            tokens.append(try #require(Token(try await Person(name, Client(Router([]))).token)))
        }
        _ = try await few.find(tokens[0])
        _ = try await few.find(tokens[0])
        #expect(try await few.remembers(tokens[0]))
        for token in tokens[1...] { #expect(try await !few.remembers(token)) }
        #expect(try await !few.remembers(tokens[0]))
        #expect(try await few.remembers(tokens[2]))
    }
}
