/// What a group's board counts: a study clock, the most seconds of a day, and whether manual time counts.
package struct Rules: Sendable, Encodable, Equatable {
    /// An IANA name.
    package let timeZone: String
    /// The local hour at which a study day begins, such as `05:00`.
    package let dayStartsAt: String
    package let dailyCapSeconds: Int
    package let manualCounts: Bool

    package init(timeZone: String, dayStartsAt: String, dailyCapSeconds: Int, manualCounts: Bool) {
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
    package var dayStartsAt: String?
    package var dailyCapSeconds: Int?
    package var manualCounts: Bool?

    /// Throws `invalid_day_start` for anything but `HH:MM`; zone, hour and cap are the database's to judge.
    package init(
        timeZone: String? = nil, dayStartsAt: String? = nil, dailyCapSeconds: Int? = nil, manualCounts: Bool? = nil
    ) throws {
        if let dayStartsAt, !Self.isHourAndMinute(dayStartsAt) { throw GroupsError.invalidDayStart }
        self.timeZone = timeZone
        self.dayStartsAt = dayStartsAt
        self.dailyCapSeconds = dailyCapSeconds
        self.manualCounts = manualCounts
    }

    private static func isHourAndMinute(_ text: String) -> Bool {
        let digits = Array(text.utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":"), let hour = number(digits[0..<2]),
            let minute = number(digits[3..<5])
        else { return false }
        return hour < 24 && minute < 60
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
