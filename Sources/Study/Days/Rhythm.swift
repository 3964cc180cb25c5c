import Time

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
