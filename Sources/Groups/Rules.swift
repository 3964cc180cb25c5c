import API
import Time

/// What a group's board counts: a study clock, the most seconds of a day, and whether manual time counts.
package struct Rules: Sendable, Encodable, Equatable {
    /// An IANA name.
    package let timeZone: String
    /// When a study day begins on the local clock.
    package let dayStartsAt: TimeOfDay
    package let dailyCapSeconds: Int
    package let manualCounts: Bool

    package init(timeZone: String, dayStartsAt: TimeOfDay, dailyCapSeconds: Int, manualCounts: Bool) {
        self.timeZone = timeZone
        self.dayStartsAt = dayStartsAt
        self.dailyCapSeconds = dailyCapSeconds
        self.manualCounts = manualCounts
    }
}

/// Rules as somebody asks for them; what is left out stays, or is as for a new group: the owner's clock, the default cap,
/// manual time counts.
package struct WantedRules: Sendable {
    package var timeZone: String?
    package var dayStartsAt: TimeOfDay?
    package var dailyCapSeconds: Int?
    package var manualCounts: Bool?

    /// Throws `invalid_day_start` for anything but `HH:MM`, and `invalid_daily_cap`; zone and hour are the database's to
    /// judge.
    package init(
        timeZone: String? = nil, dayStartsAt: String? = nil, dailyCapSeconds: Int? = nil, manualCounts: Bool? = nil
    ) throws {
        self.timeZone = timeZone
        self.dayStartsAt = try dayStartsAt.map { text in
            guard let time = TimeOfDay(text) else { throw Refusal.groups.invalidDayStart }
            return time
        }
        if let dailyCapSeconds, !RuleNumber.lengths.contains(dailyCapSeconds) { throw Refusal.groups.invalidDailyCap }
        self.dailyCapSeconds = dailyCapSeconds
        self.manualCounts = manualCounts
    }
}
