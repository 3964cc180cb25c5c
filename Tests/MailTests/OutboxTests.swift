import Postgres
import Reactor
import TestSupport
import Testing
import Time

@testable import Mail

@Suite(.database) struct OutboxTests {
    private let start = "2026-11-21T05:00:00Z"
    private let lease = Duration.seconds(60)
    private var database: Database { TestDatabase.current.database }
    private var store: OutboxStore { OutboxStore(database: database) }

    @Test func `a mail carries its parameters to the worker`() async throws {
        try await TestDatabase.current.setClock(start)
        _ = try await database.write(
            Outbox.enqueue(.registration, to: "Dodam@example.kr", ["locale": "ko", "\"": "\\"]))
        let items = try await store.claim([.registration], limit: 5, lease: lease)
        let item = try #require(items.first)
        #expect(items.count == 1)
        #expect(item.kind == .registration)
        #expect(item.to == "Dodam@example.kr")
        #expect(item.parameters == ["locale": "ko", "\"": "\\"])
        #expect(item.attempt == 1)
        #expect(item.now == Instant(rfc3339: start))
    }

    @Test func `a mail whose cause was rolled back is not sent`() async throws {
        struct Undone: Error {}
        await #expect(throws: Undone.self) {
            try await database.transaction {
                _ = try await database.write(Outbox.enqueue(.registration, to: "a@b.org"))
                throw Undone()
            }
        }
        #expect(try await count() == 0)
    }

    @Test func `one address gets one mail of a kind in a minute, five an hour and ten a day`() async throws {
        var sent: [Int] = []
        for (minutes, mails) in [(0, 3), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (59, 1), (60, 1), (61, 1), (180, 9)] {
            try await TestDatabase.current.setClock("\(Instant(rfc3339: start)! + 60 * minutes)")
            for _ in 0..<mails { _ = try await database.write(Outbox.enqueue(.registration, to: "a@b.org")) }
            sent.append(try await count())
        }
        #expect(sent == [1, 2, 3, 4, 5, 5, 5, 6, 7, 8])
        for minutes in [181, 182, 183, 184] {
            try await TestDatabase.current.setClock("\(Instant(rfc3339: start)! + 60 * minutes)")
            _ = try await database.write(Outbox.enqueue(.registration, to: "a@b.org"))
        }
        #expect(try await count() == 10)
        try await TestDatabase.current.setClock("\(Instant(rfc3339: start)! + 86400)")
        for _ in 0..<2 { _ = try await database.write(Outbox.enqueue(.registration, to: "a@b.org")) }
        #expect(try await count() == 11)
    }

    @Test func `a mail that has to arrive is never dropped, but waits a minute for the one before`() async throws {
        try await TestDatabase.current.setClock(start)
        for _ in 0..<2 { _ = try await database.write(Outbox.tell(.passwordChanged, to: "a@b.org")) }
        #expect(try await store.claim([.passwordChanged], limit: 5, lease: lease).count == 1)
        try await TestDatabase.current.advance(60)
        #expect(try await store.claim([.passwordChanged], limit: 5, lease: .seconds(1)).count == 2)
    }

    @Test func `limits count by kind, and by address whatever its case`() async throws {
        try await TestDatabase.current.setClock(start)
        for address in ["a@b.org", "A@B.org", "c@b.org"] {
            _ = try await database.write(Outbox.enqueue(.registration, to: address))
            _ = try await database.write(Outbox.enqueue(.passwordReset, to: address))
        }
        #expect(try await count() == 4)
    }

    @Test func `32 requests at once for one address are one mail`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { requests in
            for _ in 0..<32 {
                requests.addTask { [database] in
                    _ = try await database.write(Outbox.enqueue(.passwordReset, to: "a@b.org"))
                }
            }
            try await requests.waitForAll()
        }
        #expect(try await count() == 1)
    }

    @Test func `no other worker gets a claimed mail until its lease expires`() async throws {
        try await TestDatabase.current.setClock(start)
        let first = try await enqueueAndClaim()
        #expect(try await store.claim([.registration], limit: 5, lease: lease).isEmpty)
        try await TestDatabase.current.advance(60)
        let second = try #require(try await store.claim([.registration], limit: 5, lease: lease).first)
        #expect(second.id == first.id)
        #expect(second.attempt == 2)
    }

    @Test func `a worker that lost its lease cannot commit, finish or fail the mail`() async throws {
        try await TestDatabase.current.setClock(start)
        try await TestDatabase.current.sql("CREATE TABLE macs (mac text)")
        let late = try await enqueueAndClaim()
        try await TestDatabase.current.advance(60)
        await #expect(throws: LeaseLost.self) {
            try await store.commit(["INSERT INTO macs VALUES ('early')"], for: late, lease: lease)
        }
        let current = try #require(try await store.claim([.registration], limit: 5, lease: lease).first)
        await #expect(throws: LeaseLost.self) {
            try await store.commit(["INSERT INTO macs VALUES ('late')"], for: late, lease: lease)
        }
        try await store.finish(late)
        try await store.fail(late, because: "late", retryAfter: nil)
        try await store.commit(["INSERT INTO macs VALUES ('current')"], for: current, lease: lease)
        #expect(try await database.read("SELECT mac FROM macs").decode(String.self) == ["current"])
    }

    @Test func `a commit takes the whole lease again`() async throws {
        try await TestDatabase.current.setClock(start)
        let item = try await enqueueAndClaim()
        try await TestDatabase.current.advance(59)
        try await store.commit([], for: item, lease: lease)
        try await TestDatabase.current.advance(59)
        #expect(try await store.claim([.registration], limit: 5, lease: lease).isEmpty)
    }

    @Test func `a failed mail is due again after its delay, a dead one never`() async throws {
        try await TestDatabase.current.setClock(start)
        try await store.fail(try await enqueueAndClaim(), because: "first", retryAfter: .seconds(30))
        try await TestDatabase.current.advance(29)
        #expect(try await store.claim([.registration], limit: 5, lease: lease).isEmpty)
        try await TestDatabase.current.advance(1)
        let again = try #require(try await store.claim([.registration], limit: 5, lease: lease).first)
        try await store.fail(again, because: "second", retryAfter: nil)
        try await TestDatabase.current.advance(86400)
        #expect(try await store.claim([.registration], limit: 5, lease: lease).isEmpty)
        let row = try #require(
            try await database.read("SELECT dead_at, last_error, lease_until IS NULL FROM mail_outbox").first)
        let (dead, reason, isFree) = try row.decode(Instant.self, String.self, Bool.self)
        #expect(dead == Instant(rfc3339: start)! + 30)
        #expect(reason == "second")
        #expect(isFree)
    }

    @Test func `a finished mail is not claimed again`() async throws {
        try await TestDatabase.current.setClock(start)
        try await store.finish(try await enqueueAndClaim())
        try await TestDatabase.current.advance(86400)
        #expect(try await store.claim([.registration], limit: 5, lease: lease).isEmpty)
    }

    @Test func `parameters that somebody broke by hand hold up no other mail`() async throws {
        for address in ["a@b.org", "c@b.org"] {
            _ = try await database.write(Outbox.enqueue(.registration, to: address, ["locale": "ko"]))
        }
        try await TestDatabase.current.sql("UPDATE mail_outbox SET parameters = '[1]' WHERE to_address = 'a@b.org'")
        let items = try await store.claim([.registration], limit: 5, lease: lease)
        #expect(Set(items.map(\.parameters)) == [[:], ["locale": "ko"]])
    }

    @Test func `what was given up is forgotten after 90 days`() async throws {
        try await TestDatabase.current.setClock(start)
        try await store.fail(try await enqueueAndClaim(), because: "no such mailbox", retryAfter: nil)
        try await TestDatabase.current.advance(90 * 86400 - 1)
        try await Outbox.cleaning(database).run()
        #expect(try await count() == 1)
        try await TestDatabase.current.advance(1)
        try await Outbox.cleaning(database).run()
        #expect(try await count() == 0)
    }

    @Test func `what was sent is forgotten after 30 days, what was not is kept`() async throws {
        try await TestDatabase.current.setClock(start)
        try await store.finish(try await enqueueAndClaim())
        _ = try await database.write(Outbox.enqueue(.passwordReset, to: "a@b.org"))
        try await TestDatabase.current.advance(30 * 86400 - 1)
        try await Outbox.cleaning(database).run()
        #expect(try await count() == 2)
        try await TestDatabase.current.advance(1)
        try await Outbox.cleaning(database).run()
        #expect(try await count() == 1)
    }

    @Test func `a kind without a composer waits for a program that has one`() async throws {
        _ = try await database.write(Outbox.enqueue(.passwordChanged, to: "a@b.org"))
        #expect(try await store.claim([.registration, .passwordReset], limit: 5, lease: lease).isEmpty)
        #expect(try await store.claim([.passwordChanged], limit: 5, lease: lease).count == 1)
    }

    @Test func `claims at the same time never share a mail, and leave none`() async throws {
        for number in 0..<40 {
            _ = try await database.write(Outbox.enqueue(.registration, to: "a\(number)@b.org"))
        }
        let claimed = try await withThrowingTaskGroup(of: [ID].self) { workers in
            for _ in 0..<8 {
                workers.addTask { [store, lease] in
                    var mine: [ID] = []
                    while true {
                        let items = try await store.claim([.registration], limit: 3, lease: lease)
                        if items.isEmpty { return mine }
                        mine += items.map(\.id)
                    }
                }
            }
            return try await workers.reduce(into: [], +=)
        }
        #expect(claimed.count == 40)
        #expect(Set(claimed).count == 40)
    }

    private func enqueueAndClaim() async throws -> OutboxItem {
        _ = try await database.write(Outbox.enqueue(.registration, to: "a@b.org"))
        return try #require(try await store.claim([.registration], limit: 5, lease: lease).first)
    }

    private func count() async throws -> Int {
        try #require(try await database.read("SELECT count(*) FROM mail_outbox").first).decode(Int.self)
    }
}
