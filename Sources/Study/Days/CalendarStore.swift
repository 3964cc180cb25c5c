import API
import Postgres
import Time

/// The personal calendar in the database.
struct CalendarStore: Sendable {
    let database: Database

    /// A whole month; nil for the one that today is in.
    func month(_ firstDay: Day?, of uid: ID) async throws -> StudyMonth {
        let rows = try await database.read(
            """
            SELECT c.*, s.current_streak, s.longest_streak
            FROM study_streaks(\(uid)) s
            CROSS JOIN LATERAL coalesce(\(firstDay), month_of(s.today)) month
            CROSS JOIN LATERAL study_calendar(\(uid), month, next_month(month)) c ORDER BY c.day
            """)
        return StudyMonth(try rows.map(StudyDay.init), try Streaks(rows.one))
    }

    /// The days of a year on which there was something.
    func year(_ year: Int, of uid: ID) async throws -> StudyYear {
        let (first, until) = (Day(year: year, month: 1, day: 1), Day(year: year + 1, month: 1, day: 1))
        let rows = try await database.read(
            """
            SELECT * FROM study_calendar(\(uid), \(first), \(until))
            WHERE study_seconds > 0 OR wake_up OR study ORDER BY day
            """)
        return StudyYear(year, try rows.map(StudyDay.init))
    }

    /// Of these study days, both included; the last four weeks when none are named.
    func rhythm(of uid: ID, from: Day?, to: Day?) async throws -> Rhythm {
        let rows = try await database.read(
            "SELECT first_day, last_day, weekdays, hours FROM study_rhythm(\(uid), \(from), \(to))")
        let (first, last, weekdays, hours) = try rows.one.decode(Day.self, Day.self, [Int].self, [Int].self)
        return Rhythm(from: first, to: last, weekdays: weekdays, hours: hours)
    }

    /// The day as cells of ten minutes.
    func strip(of day: Day, for uid: ID) async throws -> DayStrip {
        try DayStrip(day, await database.read("SELECT * FROM day_strip(\(uid), \(day))"))
    }

    func planRest(on day: Day, of uid: ID) async throws {
        try await Refusal.days.mapConstraints { _ = try await database.write("SELECT plan_rest_day(\(uid), \(day))") }
    }

    func cancelRest(on day: Day, of uid: ID) async throws {
        try await Refusal.days.mapConstraints { _ = try await database.write("SELECT cancel_rest_day(\(uid), \(day))") }
    }
}
