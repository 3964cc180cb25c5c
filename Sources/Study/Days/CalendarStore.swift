import API
import Postgres
import Time

/// The personal calendar in the database, which writes months and years as the API sends them.
struct CalendarStore: Sendable {
    let database: Database

    /// A whole month, days to come included; nil for the one that today is in.
    func month(_ firstDay: Day?, of uid: ID) async throws -> [UInt8] {
        try await database.read("SELECT calendar_month(\(uid), \(firstDay)) AS month").one.json("month")
    }

    /// The days of a year with study or an ant.
    func year(_ year: Int, of uid: ID) async throws -> [UInt8] {
        let (first, until) = (Day(year: year, month: 1, day: 1), Day(year: year + 1, month: 1, day: 1))
        return try await database.read(
            """
            SELECT json_build_object('year', \(year)::integer, 'days', c.days, 'totals', c.totals) AS year
            FROM calendar_json(\(uid), \(first), \(until), true) c
            """
        ).one.json("year")
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
