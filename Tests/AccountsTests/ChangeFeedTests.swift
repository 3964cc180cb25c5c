import Foundation
import HTTP
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Accounts

@Suite(.database) struct ChangeFeedTests {
    private var database: Database { TestDatabase.current.database }
    private let feed = ChangeFeed(database: TestDatabase.current.database)
    private let subject = ID()

    private func note(_ subject: ID) async throws {
        _ = try await database.write("SELECT note_change(\(subject))")
    }

    /// Whether it may have changed.
    private func hasNews(of subject: ID, after number: Int, in feed: ChangeFeed? = nil) -> Bool {
        (feed ?? self.feed).hasNews(after: number) { news in
            let isNamed = news.contains(subject)
            #expect(isNamed == news.contains { $0 == subject })
            return isNamed
        }
    }

    @Test func `everything counts as changed before the first question, and only real changes after it`() async throws {
        let before = feed.number
        _ = try await feed.position()
        #expect(hasNews(of: subject, after: before))
        let known = feed.number
        _ = try await feed.position()
        #expect(!hasNews(of: subject, after: known))
        try await note(subject)
        let position = try await feed.position()
        #expect(hasNews(of: subject, after: known))
        #expect(!hasNews(of: ID(), after: known))
        #expect(!hasNews(of: subject, after: position.number))
    }

    @Test func `a change enters the feed when it is committed`() async throws {
        _ = try await feed.position()
        try await database.transaction {
            try await note(subject)
            // Asked by itself, whatever the transaction is that somebody asks in.
            let early = try await feed.position()
            _ = try await feed.position()
            #expect(!hasNews(of: subject, after: early.number))
        }
        let known = feed.number
        _ = try await feed.position()
        #expect(hasNews(of: subject, after: known))
    }

    @Test func `nothing is sure after more changes than one answer holds`() async throws {
        _ = try await feed.position()
        _ = try await database.write("SELECT note_change(gen_random_uuid()) FROM generate_series(1, 1000)")
        let known = feed.number
        let position = try await feed.position()
        #expect(hasNews(of: subject, after: known))
        #expect(!hasNews(of: subject, after: position.number))
    }

    @Test func `nothing is sure when the clock was set`() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        _ = try await feed.position()
        for seconds in [59, 61, -3600] {
            let known = feed.number
            try await TestDatabase.current.advance(seconds)
            _ = try await feed.position()
            #expect(hasNews(of: subject, after: known) == (seconds != 59))
        }
    }

    @Test func `everything counts as changed after a pause longer than the database keeps changes`() async throws {
        let time = Mutex(ContinuousClock.now)
        let feed = ChangeFeed(database: database) { time.withLock { $0 } }
        _ = try await feed.position()
        for seconds in [59, 60] {
            let known = feed.number
            time.withLock { $0 += .seconds(seconds) }
            _ = try await feed.position()
            #expect(hasNews(of: subject, after: known, in: feed) == (seconds == 60))
        }
    }

    @Test func `no more changes are remembered than there is room for, and what came before them is not sure`()
        async throws
    {
        let feed = ChangeFeed(database: database, most: 20)
        _ = try await feed.position()
        var numbers = [feed.number]
        for _ in 0..<3 {
            _ = try await database.write("SELECT note_change(gen_random_uuid()) FROM generate_series(1, 8)")
            numbers.append(try await feed.position().number)
        }
        // 24 are too many, of which the last 10 stay: those of the last answer, and 2 of the one before.
        #expect(numbers.map { hasNews(of: subject, after: $0, in: feed) } == [true, true, false, false])
    }

    @Test func `nothing is sure when everything may have changed`() async throws {
        _ = try await feed.position()
        let known = feed.number
        try await TestDatabase.current.sql("TRUNCATE sign_ins CASCADE")
        let position = try await feed.position()
        #expect(hasNews(of: subject, after: known))
        #expect(!hasNews(of: subject, after: position.number))
    }

    @Test func `nothing is sure when a connection was lost, because the server may use ids of transactions again`()
        async throws
    {
        _ = try await feed.position()
        let known = feed.number
        // A read is sent once more.
        await #expect(throws: PostgresError.self) {
            try await database.read("SELECT pg_terminate_backend(pg_backend_pid())")
        }
        _ = try await feed.position()
        #expect(hasNews(of: subject, after: known))
        // The connection was made anew during that question.
        let position = try await feed.position()
        _ = try await feed.position()
        #expect(!hasNews(of: subject, after: position.number))
    }

    @Test func `all who ask meanwhile share the next question`() async throws {
        let numbers = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<200 { tasks.addTask { try await feed.position().number } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(numbers.count == 200)
        #expect(feed.number < 200)
        #expect(numbers.max() == feed.number)
    }

    @Test func `the question is not planned anew each time`() async throws {
        try await TestDatabase.current.sql(
            """
            INSERT INTO board_changes SELECT '3', gen_random_uuid(), anthill_clock() FROM generate_series(1, 100000);
            ANALYZE board_changes
            """)
        for _ in 0..<8 { _ = try await feed.position() }
        let plans = try await database.read(
            """
            SELECT generic_plans, custom_plans FROM pg_prepared_statements
            WHERE statement ^@ 'SELECT anthill_clock(), pg_current_snapshot()'
            """)
        // PostgreSQL compares five plans made for the values with one for any values.
        let (forAny, forOne) = try plans[0].decode(Int.self, Int.self)
        #expect((forAny, forOne) == (3, 5))
    }

    @Test func `a question that fails is an error for those who asked it, and the next is asked anew`() async throws {
        _ = try await feed.position()
        try await TestDatabase.current.sql("ALTER TABLE board_changes RENAME TO elsewhere")
        await #expect(throws: PostgresError.self) { try await feed.position() }
        try await TestDatabase.current.sql("ALTER TABLE elsewhere RENAME TO board_changes")
        _ = try await feed.position()
    }
}
