import Postgres
import TestSupport
import Testing

@testable import AnthillServer

@Suite(.database) struct DemoTests {
    @Test func `a demonstration fills the board once, with totals that are those of its intervals`() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let database = TestDatabase.current.database
        let demo = Demo(database: database, users: 300)
        try await demo.fill(force: false) { _ in }
        await #expect(throws: Demo.NotEmpty.self) { try await demo.fill(force: false) { _ in } }
        try await Demo(database: database, users: 20).fill(force: true) { _ in }
        let counts = try await database.read(
            """
            SELECT (SELECT count(*) FROM users WHERE global_board)::integer,
              (SELECT count(*) FROM current_rank_buckets k FULL JOIN recounted_rank_buckets r USING (month, level, bucket)
               WHERE k.n IS DISTINCT FROM r.n)::integer,
              (SELECT count(*) FROM month_totals t FULL JOIN recounted_month_totals r USING (rules_id, uid, month)
               WHERE t.counted_seconds IS DISTINCT FROM r.counted_seconds)::integer,
              (SELECT count(*) FROM rank_deltas)::integer,
              (SELECT sum(n) FROM rank_buckets WHERE level = 3)::integer
            """)
        let (users, ranks, totals, waiting, ranked) = try #require(counts.first)
            .decode(Int.self, Int.self, Int.self, Int.self, Int.self)
        #expect((users, ranks, totals, waiting, ranked) == (320, 0, 0, 0, 320))
    }

    @Test func `in the first hour of a month there is nothing to fill`() async throws {
        try await TestDatabase.current.setClock("2026-10-31T20:30:00Z")
        let demo = Demo(database: TestDatabase.current.database, users: 1)
        await #expect(throws: Demo.TooEarly.self) { try await demo.fill(force: false) { _ in } }
    }
}
