import Postgres

/// A user's study day as it stands: what was recorded and what the running timer has added so far.
package struct Today: Sendable, Encodable {
    /// The stamps of the day.
    package struct Ants: Sendable, Encodable {
        package let wakeUp: Bool
        package let study: Bool
        package let perfect: Bool
    }

    package let day: Day
    package let startsAt: Instant
    package let endsAt: Instant
    /// Recorded time and the running timer's seconds of this day, so that every page shows the same.
    package let studySeconds: Int
    package let goalSeconds: Int
    package let goalMet: Bool
    package let growth: Growth
    package let yesterdaySeconds: Int
    /// How much more than the whole of yesterday, or less when negative.
    package let differenceSeconds: Int
    package let perfectAnnounced: Bool
    package let ants: Ants
    /// All study ever, the running timer's included.
    package let totalSeconds: Int
    package let serverTime: Instant

    /// The study ant is earned by recorded time only: `liveSeconds` may still be cancelled.
    package init(
        day: Day, startsAt: Instant, endsAt: Instant, studySeconds: Int, liveSeconds: Int, goalSeconds: Int,
        yesterdaySeconds: Int, totalSeconds: Int, serverTime: Instant
    ) {
        self.day = day
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.studySeconds = studySeconds
        self.goalSeconds = goalSeconds
        goalMet = studySeconds >= goalSeconds
        growth = Growth(seconds: studySeconds)
        self.yesterdaySeconds = yesterdaySeconds
        differenceSeconds = studySeconds - yesterdaySeconds
        perfectAnnounced = false
        ants = Ants(wakeUp: false, study: studySeconds - liveSeconds >= goalSeconds, perfect: false)
        self.totalSeconds = totalSeconds
        self.serverTime = serverTime
    }
}

/// What the end of a timer brings.
package struct StopResult: Sendable, Encodable {
    /// What this very stop earned.
    package struct Earned: Sendable, Encodable {
        package let study: Bool
    }

    package let session: Session
    package let today: Today
    package let earned: Earned
}
