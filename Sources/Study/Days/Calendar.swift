import Postgres
import Time

/// One day of the personal calendar, the running timer's seconds included.
package struct StudyDay: Sendable, Encodable {
    package let day: Day
    package let studySeconds: Int
    /// The goal this day had, or will have if nothing changes.
    package let goalSeconds: Int
    package let growth: Growth
    package let wakeUp: Bool
    package let study: Bool
    package let perfect: Bool
    package let rest: Bool

    /// Reads a row of `study_calendar`.
    init(_ row: Row) throws {
        day = try row["day"]
        studySeconds = try row["study_seconds"]
        goalSeconds = try row["goal_seconds"]
        growth = try row["growth"]
        wakeUp = try row["wake_up"]
        study = try row["study"]
        perfect = try row["perfect"]
        rest = try row["rest"]
    }
}

/// Totals of a month or a year.
package struct DayTotals: Sendable, Encodable {
    package let studySeconds: Int
    package let perfect: Int
    package let trees: Int

    init(_ days: [StudyDay]) {
        studySeconds = days.reduce(0) { $0 + $1.studySeconds }
        perfect = days.count { $0.perfect }
        trees = days.count { $0.growth == .tree }
    }
}

/// Every day of one month, those to come included.
package struct StudyMonth: Sendable, Encodable {
    package let month: String
    package let days: [StudyDay]
    package let totals: DayTotals
    package let streaks: Streaks

    /// `days` are a whole month's.
    init(_ days: [StudyDay], _ streaks: Streaks) {
        month = days[0].day.monthText
        self.days = days
        totals = DayTotals(days)
        self.streaks = streaks
    }
}

/// The days of a year with study or an ant.
package struct StudyYear: Sendable, Encodable {
    package let year: Int
    package let days: [StudyDay]
    package let totals: DayTotals

    init(_ year: Int, _ days: [StudyDay]) {
        self.year = year
        self.days = days
        totals = DayTotals(days)
    }
}

/// When in the week and in the day one studied, by the clock that each interval was recorded under.
package struct Rhythm: Sendable, Encodable {
    /// Monday is 1.
    package struct Weekday: Sendable, Encodable {
        package let weekday: Int
        package let seconds: Int
    }

    /// From its local beginning to the next, 0 to 23.
    package struct Hour: Sendable, Encodable {
        package let hour: Int
        package let seconds: Int
    }

    package let from: Day
    package let to: Day
    package let weekdays: [Weekday]
    package let hours: [Hour]

    /// `weekdays` are seven numbers of seconds, `hours` twenty-four.
    init(from: Day, to: Day, weekdays: [Int], hours: [Int]) {
        self.from = from
        self.to = to
        self.weekdays = weekdays.enumerated().map { Weekday(weekday: $0 + 1, seconds: $1) }
        self.hours = hours.enumerated().map { Hour(hour: $0, seconds: $1) }
    }
}
