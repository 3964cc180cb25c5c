import Foundation
import HTTP
import Postgres
import Ranking
import TestSupport
import Testing
import Time

@Suite(.database) struct PagingTests {
    /// The uids of all pages, in order; between them `meanwhile` happens.
    private func pages(
        of room: Room, for reader: Person, order: String = "seconds", limit: Int,
        meanwhile: () async throws -> Void = {}
    ) async throws -> [JSON] {
        var pages: [JSON] = []
        var next: String? = ""
        while let cursor = next {
            let page = await reader.board(
                room, "order=\(order)&limit=\(limit)\(cursor.isEmpty ? "" : "&after=\(cursor)")")
            pages.append(page)
            next = page["next"].string
            try await meanwhile()
        }
        return pages
    }

    private func uids(_ pages: [JSON]) -> [String] {
        pages.flatMap { $0["entries"].array ?? [] }.compactMap { $0["uid"].string }
    }

    @Test(arguments: [1, 2, 3, 7, 13, 14])
    func `pages follow one another without a gap or a repetition, ties included`(limit: Int) async throws {
        let room = try await Room()
        for number in 0..<12 {
            let person = try await room.join("Ant \(number)")
            await person.log("2026-11-21T01:00:00Z", "2026-11-21T01:\(10 + number % 4):00Z")
        }
        let whole = await room.owner.board(room)
        #expect(whole.nicknames.count == 13)
        let pages = try await pages(of: room, for: room.owner, limit: limit)
        #expect(uids(pages) == whole["entries"].array?.compactMap { $0["uid"].string })
        #expect(pages.flatMap(\.ranks) == whole.ranks)
        #expect(pages.count == (13 + limit - 1) / limit)
    }

    @Test func `while timers run, all pages are of the first one's instant`() async throws {
        let room = try await Room()
        var runners: [Person] = []
        for number in 0..<6 {
            let person = try await room.join("Ant \(number)")
            await person.log("2026-11-21T01:00:00Z", "2026-11-21T01:\(10 + number):00Z")
            runners.append(person)
        }
        for person in runners[..<3] { _ = await person.post("/me/timer/start") }
        try await TestDatabase.current.advance(90)
        let whole = await room.owner.board(room)
        let pages = try await pages(of: room, for: room.owner, limit: 2) {
            // Enough for the slowest runner to overtake everybody who rests.
            try await TestDatabase.current.advance(600)
        }
        #expect(uids(pages) == whole["entries"].array?.compactMap { $0["uid"].string })
        #expect(pages.map(\.["as_of"]) == Array(repeating: whole["as_of"], count: 4))
        #expect(pages.flatMap(\.seconds) == whole.seconds)
    }

    @Test func `who is not moved is on one page once while others record`() async throws {
        let room = try await Room()
        var people: [Person] = []
        for number in 0..<8 {
            let person = try await room.join("Ant \(number)")
            await person.log("2026-11-21T01:00:00Z", "2026-11-21T01:\(20 + number):00Z")
            people.append(person)
        }
        var climber = 0
        let pages = try await pages(of: room, for: room.owner, limit: 2) {
            guard climber < 3 else { return }
            await people[climber].log("2026-11-21T02:00:00Z", "2026-11-21T03:00:00Z")
            climber += 1
        }
        let seen = uids(pages)
        for person in people[3...] + [room.owner] { #expect(seen.count { $0 == person.id } == 1) }
    }

    @Test(arguments: ["seconds", "goal", "consistency"])
    func `while 16 write, pages hold everybody once whose total does not change`(order: String) async throws {
        let room = try await Room()
        let database = TestDatabase.current.database
        let group = try #require(ID(room.id))
        // 320 more, of whom every fifth studies, with few different totals; the clock goes on from now.
        let others = try await database.write([
            """
            INSERT INTO users (nickname, password_hash) SELECT 'Ant ' || n, '-'
            FROM generate_series(1, 320) n
            """,
            "SELECT enter_group(uid, \(group), 'member') FROM users WHERE nickname LIKE 'Ant %'",
            """
            SELECT record_interval(uid, timestamptz '2026-11-20T21:00:00Z', timestamptz '2026-11-20T21:10:00Z'
                                   + right(nickname, 1)::integer * interval '10 minutes')
            FROM users WHERE nickname LIKE 'Ant %'
            """,
            "SELECT start_timer(uid) FROM users WHERE nickname LIKE 'Ant %' AND right(nickname, 1)::integer % 5 = 0",
            "SELECT uid FROM users WHERE nickname LIKE 'Ant %' ORDER BY nickname",
        ])[4].map { try $0.decode(ID.self) }
        try await TestDatabase.current.sql(
            """
            CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE sql STABLE AS $$
              SELECT timestamptz '2026-11-21T03:00:00Z'
                + date_trunc('second', clock_timestamp() - timestamptz '\(Instant(secondsSince1970: Int(Date().timeIntervalSince1970)))')
            $$
            """)
        let (writers, still) = (Array(others[..<64]), Set(others[64...].map { $0.description }))
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for writer in 0..<16 {
                tasks.addTask {
                    var written = 0
                    while !Task.isCancelled {
                        // Each of the writer's four people gets the next minute of a day ago.
                        let (uid, minute) = (writers[writer * 4 + written % 4], written / 4)
                        let wrote = try? await database.write(
                            """
                            SELECT record_interval(\(uid), timestamptz '2026-11-20T00:00:00Z' + \(minute) * interval '1 minute',
                              timestamptz '2026-11-20T00:01:00Z' + \(minute) * interval '1 minute')
                            """)
                        if wrote != nil { written += 1 }
                        // A few writes between two pages are enough. Without a rest they only make the pages slow.
                        try? await Task.sleep(for: .milliseconds(100))
                    }
                    return written
                }
            }
            for limit in [7, 20, 50] {
                let pages = try await pages(of: room, for: room.owner, order: order, limit: limit)
                let seen = uids(pages)
                let counts = Dictionary(grouping: seen, by: \.self).mapValues(\.count)
                for uid in still.union([room.owner.id]) { #expect(counts[uid] == 1) }
                #expect(Set(pages.map { $0["as_of"].string ?? "-" }).count == 1)
            }
            tasks.cancelAll()
            // They did write while the pages were read.
            for try await written in tasks { #expect(written > 4) }
        }
    }

    @Test func `a cursor across midnight of the month stays in its month`() async throws {
        let room = try await Room(at: "2026-11-30T19:59:59Z")
        for number in 0..<2 { _ = try await room.join("Ant \(number)") }
        let pages = try await pages(of: room, for: room.owner, limit: 1) {
            try await TestDatabase.current.setClock("2026-11-30T20:00:00Z")
        }
        #expect(pages.map(\.["at"]) == ["2026-11", "2026-11", "2026-11"])
        #expect(Set(uids(pages)).count == 3)
    }

    @Test func `only the first page has the reader's own place`() async throws {
        let room = try await Room()
        _ = try await room.join("Haneul")
        let pages = try await pages(of: room, for: room.owner, limit: 1)
        #expect(pages.map { $0["me"].isNull } == [false, true])
    }
}
