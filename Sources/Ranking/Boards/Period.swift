import API
import HTTP
import Postgres
import Time

/// Which stretch of study days a board is about. Weeks are named by their Monday, months by their number.
package struct Period: Sendable, Hashable {
    package enum Length: String, Sendable, Encodable, PostgresDecodable, CaseIterable {
        case day, week, month
    }

    /// The names of the first two parameters that ``init(length:at:asOf:)`` reads, for the routes that read them.
    package static let parameters: Set = ["period", "at"]

    package let length: Length
    /// Its first study day; nil for the period that is under way.
    package let firstDay: Day?
    /// As it was known at that instant; nil for now.
    package let knownAt: Instant?

    /// Reads `?period=` (default month), `?at=` (default now) and `?as_of=`; throws `invalid_period` and
    /// `invalid_time`.
    package init(length: String?, at: String?, asOf: String? = nil) throws {
        guard let length = Length(rawValue: length ?? Length.month.rawValue) else {
            throw Refusal.ranking.invalidPeriod.at("period")
        }
        self.length = length
        firstDay = try at.map { text in
            guard let day = length.firstDay(text) else { throw Refusal.ranking.invalidPeriod.at("at") }
            return day
        }
        knownAt = try asOf.map { try Instant($0, of: "as_of") }
    }
}

extension Period {
    /// Whether it ended at least two days ago, by whatever clock.
    func isOver(at now: Instant) -> Bool {
        guard let firstDay else { return false }
        let days =
            switch length {
            case .day: 1
            case .week: 7
            case .month: 31
            }
        // An hour of the day and a time zone make less than two days.
        return now.secondsSince1970 > firstDay.adding(days: days + 4).daysSince1970 * 86400
    }

    /// The period of this length that begins on `firstDay`; nil for the current one.
    init(length: Length, firstDay: Day?, knownAt: Instant? = nil) {
        self.length = length
        self.firstDay = firstDay
        self.knownAt = knownAt
    }

    /// The month of a board that has only months: reads `?period=` and `?at=`; nil for the current one. Throws
    /// `invalid_period`.
    static func month(length: String?, at: String?) throws -> Day? {
        guard length ?? "month" == "month" else { throw Refusal.ranking.notMonthly.at("period") }
        guard let at else { return nil }
        guard let month = Day(month: at) else { throw Refusal.ranking.notMonthly.at("at") }
        return month
    }
}

extension Period {
    /// The period that a cursor names. Throws `invalid_cursor` where another one, or another instant, is asked for.
    func of(cursor length: Length, _ firstDay: Day, knownAt: Instant? = nil) throws -> Period {
        guard length == self.length, self.firstDay ?? firstDay == firstDay, self.knownAt ?? knownAt == knownAt else {
            throw Paging.invalidCursor
        }
        return Period(length: length, firstDay: firstDay, knownAt: knownAt)
    }
}

extension Period.Length {
    /// The first day of the period that the text names; nil if the text names no period of this length.
    fileprivate func firstDay(_ text: String) -> Day? {
        switch self {
        case .day: Day(iso: text)
        case .week: Day(iso: text).flatMap { $0.weekday == 1 ? $0 : nil }
        case .month: Day(month: text)
        }
    }

    /// How the API names the period of this length that begins on that day.
    package func name(_ firstDay: Day) -> String {
        switch self {
        case .day, .week: firstDay.description
        case .month: firstDay.monthText
        }
    }
}

extension Request {
    /// The month that `?month=` asks for; nil without one. Throws `invalid_month`.
    func month() throws -> Day? {
        try query["month"].map { text in
            guard let month = Day(month: text) else { throw Refusal.ranking.invalidMonth }
            return month
        }
    }
}
