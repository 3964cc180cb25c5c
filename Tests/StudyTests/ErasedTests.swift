import Postgres
import TestSupport
import Testing
import Time

@testable import Study

/// A request may be under way while its account is erased.
@Suite(.database) struct ErasedTests {
    private let database = TestDatabase.current.database

    @Test func `study of an erased account is an error and no crash`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let uid = me.uid
        try await TestDatabase.current.sql("SELECT erase_user('\(me.id)')")
        let day = try #require(Day("2026-11-21"))
        let calendar = CalendarStore(database: database)
        await #expect(throws: PostgresError.self) { try await TodayStore(database: database).today(of: uid) }
        await #expect(throws: PostgresError.self) { try await calendar.month(nil, of: uid) }
        await #expect(throws: PostgresError.self) { try await calendar.month(day, of: uid) }
        await #expect(throws: PostgresError.self) { try await calendar.rhythm(of: uid, from: nil, to: nil) }
        await #expect(throws: PostgresError.self) { try await ExportStore(database: database).today(of: uid) }
        await #expect(throws: PostgresError.self) { try await TimerStore(database: database).pause(uid) }
        await #expect(throws: PostgresError.self) { try await TimerStore(database: database).stop(uid) }
        await #expect(throws: PostgresError.self) {
            try await TotalsStore(database: database).totals(of: uid, by: .subject, from: nil, to: nil)
        }
    }
}
