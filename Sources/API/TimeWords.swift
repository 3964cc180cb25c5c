import HTTP
import Time

/// Durations and months in words, for sentences.
extension Localized {
    /// A time in seconds as hours and minutes: "2 h 5 min", "2 h", "5 min".
    package static func duration(_ seconds: Int) -> Localized {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        if hours == 0 { return Localized(ko: "\(minutes)분", en: "\(minutes) min") }
        if minutes == 0 { return Localized(ko: "\(hours)시간", en: "\(hours) h") }
        return Localized(ko: "\(hours)시간 \(minutes)분", en: "\(hours) h \(minutes) min")
    }

    /// How long to wait, rounded up to whole minutes from one minute on: "45 s", "2 min", "1 h".
    package static func wait(_ seconds: Int) -> Localized {
        seconds < 60 ? Localized(ko: "\(seconds)초", en: "\(seconds) s") : duration((seconds + 59) / 60 * 60)
    }

    /// The name of a month, such as `2026-11`, without its year; nil for what is none.
    package init?(month text: String) {
        guard let number = Int(text.suffix(2)), (1...12).contains(number) else { return nil }
        self.init(ko: "\(number)월", en: Self.months[number - 1])
    }

    /// The same of a month that is one; any other text stays as it is.
    package static func month(_ text: String) -> Localized {
        Localized(month: text) ?? Localized(ko: text, en: text)
    }

    /// The same with its year: "November 2026".
    package static func monthAndYear(_ text: String) -> Localized {
        let (month, year) = (month(text), text.prefix(4))
        return Localized(ko: "\(year)년 \(month.ko)", en: "\(month.en) \(year)")
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

/// A time in seconds as boards show it: 268:11.
package func hoursAndMinutes(_ seconds: Int) -> String {
    "\(seconds / 3600):\((seconds / 60 % 60).twoDigits)"
}
