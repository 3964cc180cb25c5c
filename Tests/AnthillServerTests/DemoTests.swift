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
              (SELECT count(*) FROM rank_differences)::integer,
              (SELECT count(*) FROM total_differences('00000000-0000-0000-0000-000000000000',
                                                      'ffffffff-ffff-ffff-ffff-ffffffffffff'))::integer,
              (SELECT sum(n) FROM current_rank_buckets WHERE level = 3 AND period = 'month')::integer
            """)
        let (users, ranks, totals, ranked) = try #require(counts.first)
            .decode(Int.self, Int.self, Int.self, Int.self)
        #expect((users, ranks, totals, ranked) == (320, 0, 0, 320))
    }

    @Test func `in the first hour of a month there is nothing to fill`() async throws {
        try await TestDatabase.current.setClock("2026-10-31T20:30:00Z")
        let demo = Demo(database: TestDatabase.current.database, users: 1)
        await #expect(throws: Demo.TooEarly.self) { try await demo.fill(force: false) { _ in } }
    }
}
