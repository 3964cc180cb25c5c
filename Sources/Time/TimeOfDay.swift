/// A time on the clock, to the second.
package struct TimeOfDay: Hashable, Sendable {
    /// Since midnight, below 86,400.
    package let seconds: Int

    package init(seconds: Int) {
        precondition((0..<86400).contains(seconds), "no such time of day")
        self.seconds = seconds
    }

    package var hour: Int { seconds / 3600 }
    package var minute: Int { seconds / 60 % 60 }

    /// `09:05:00`.
    package var textToTheSecond: String { "\(self):\((seconds % 60).twoDigits)" }
}

/// In text and in JSON a time of day is `09:05`, and nothing else.
extension TimeOfDay: CodableAsText {
    package init?(_ description: String) {
        var scanner = DigitScanner(description)
        guard let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), scanner.isAtEnd,
            hour < 24, minute < 60
        else { return nil }
        self.init(seconds: 3600 * hour + 60 * minute)
    }

    package var description: String { "\(hour.twoDigits):\(minute.twoDigits)" }
}
