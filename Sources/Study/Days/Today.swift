import API
import HTTP
import Postgres
import Time

/// A user's study day as it stands: what was recorded and what the running timer has added so far.
package struct Today: Sendable, Encodable {
    /// The stamps of the day. The study ant is earned by recorded time only: a timer may still be cancelled.
    package struct Ants: Sendable, Encodable {
        package let wakeUp: Bool
        package let study: Bool
        package let perfect: Bool
    }

    /// This month up to now.
    package struct Month: Sendable, Encodable {
        package let trees: Int
        package let perfect: Int
    }

    package let day: Day
    package let startsAt: Instant
    package let endsAt: Instant
    /// Recorded time and the running timer's seconds of this day, so that every page shows the same.
    package let studySeconds: Int
    package let goalSeconds: Int
    package let growth: Growth
    package let yesterdaySeconds: Int
    package let ants: Ants
    /// Whether some device has shown the perfect ant already.
    package let perfectAnnounced: Bool
    /// Whether today is a planned rest day.
    package let rest: Bool
    package let month: Month
    package let streaks: Streaks
    /// All study ever, the running timer's included.
    package let totalSeconds: Int
    /// Of the week and the month that today is in, where there are any.
    package let goals: [PeriodGoal]
    package let dates: [TargetDate]
    package let serverTime: Instant
    package let goalMet: Bool
    /// How much more than the whole of yesterday, or less when negative.
    package let differenceSeconds: Int

    /// Reads a row of `study_today`.
    init(_ row: Row) throws {
        day = try row["day"]
        startsAt = try row["starts_at"]
        endsAt = try row["ends_at"]
        studySeconds = try row["study_seconds"]
        goalSeconds = try row["goal_seconds"]
        growth = try row["growth"]
        yesterdaySeconds = try row["yesterday_seconds"]
        ants = Ants(wakeUp: try row["wake_up"], study: try row["study"], perfect: try row["perfect"])
        perfectAnnounced = try row["perfect_announced"]
        rest = try row["rest"]
        month = Month(trees: try row["month_trees"], perfect: try row["month_perfect"])
        streaks = try Streaks(row)
        totalSeconds = try row["total_seconds"]
        goals = try [PeriodGoal](text: row["goals"])
        dates = try [TargetDate](text: row["dates"])
        serverTime = try row["server_time"]
        goalMet = studySeconds >= goalSeconds
        differenceSeconds = studySeconds - yesterdaySeconds
    }
}

/// Days in a row with the study ant. A day that is not over breaks none, a planned rest day neither adds nor breaks.
package struct Streaks: Sendable, Encodable {
    package let current: Int
    package let longest: Int

    init(_ row: Row) throws {
        current = try row["current_streak"]
        longest = try row["longest_streak"]
    }
}

/// What the end of a timer brings.
package struct StopResult: Sendable, Encodable {
    /// The ants that a day of the session has, and would not have without it.
    package struct Earned: Sendable, Encodable {
        package let study: Bool
        package let perfect: Bool
    }

    package let session: JSON
    package let today: Today
    package let earned: Earned
}

/// The picture that grows with a study day; which one, the database decides by the day's whole minutes.
package enum Growth: String, Sendable, Encodable, PostgresDecodable {
    case seed, sprout, apple, tree
}
