import API
import HTTP
import Postgres
import Time

/// What a person sees and sets of themselves: `GET /me`.
struct Profile: Encodable, Sendable {
    struct StudyClock: Encodable, Sendable {
        let timeZone: String
        let dayStartsAt: TimeOfDay
    }

    /// The mail server refuses the address for good.
    struct MailRefusal: Encodable, Sendable {
        let since: Instant
        /// The mail server's reply, such as 550.
        let reply: Int
    }

    /// Between these times of their clocks nothing is pushed but the alarm.
    struct QuietHours: Encodable, Sendable {
        let from: TimeOfDay
        let to: TimeOfDay
    }

    struct Person: Encodable, Sendable {
        let uid: ID
        let email: String
        /// The address that the person asked for and has not confirmed.
        @OrNull var newEmail: String?
        /// `null` if mail arrives, as far as we know.
        @OrNull var mailRefused: MailRefusal?
        let nickname: String
        let locale: String
        let studyClock: StudyClock
        let dailyGoalSeconds: Int
        let theme: Theme
        let globalBoard: Bool
        /// The length that clients offer for a timer.
        let defaultTimerSeconds: Int
        @OrNull var quietHours: QuietHours?
        @OrNull var avatarUrl: AvatarURL?
        let createdAt: Instant
        /// When the account will be deleted, if its owner asked for that.
        @OrNull var leavesAt: Instant?
        /// Whether they look after the whole service.
        let siteAdmin: Bool
    }

    let person: Person
    let switches: [Switch: Bool]

    /// One object: the switches are members beside the others.
    func encode(to encoder: any Encoder) throws {
        try person.encode(to: encoder)
        var members = encoder.container(keyedBy: Switch.self)
        for (name, isOn) in switches { try members.encode(isOn, forKey: name) }
    }
}

/// What a person wants changed; nil leaves a thing as it is.
struct ProfileChange: Sendable {
    var nickname: String?
    var locale: Language?
    var timeZone: String?
    var dayStartsAt: TimeOfDay?
    var dailyGoalSeconds: Int?
    var theme: Theme?
    var globalBoard: Bool?
    var defaultTimerSeconds: Int?
    /// `.some(nil)`: none.
    var quietHours: Profile.QuietHours??
    var switches: [Switch: Bool] = [:]

    /// The fields that ``init(_:)`` reads.
    static let fields =
        [
            "nickname", "locale", "study_clock", "daily_goal_seconds", "theme", "global_board", "default_timer_seconds",
            "quiet_hours",
        ]
        + Switch.allCases.map(\.rawValue)

    /// Reads the body of `PATCH /me`; refuses by field what is against a rule.
    init(_ fields: Fields) throws {
        nickname = try fields.optionalString("nickname").map { try Self.nickname($0) }
        locale = try fields.optionalString("locale").map { try Self.locale($0) }
        let clock = try fields.optionalObject("study_clock", "time_zone", "day_starts_at")
        timeZone = try clock?.optionalString("time_zone")
        dayStartsAt = try clock?.optionalString("day_starts_at").map { text in
            guard let time = TimeOfDay(text) else { throw Refusal.accounts.invalidDayStart }
            return time
        }
        dailyGoalSeconds = try fields.optionalInt("daily_goal_seconds")
        if let dailyGoalSeconds, !RuleNumber.lengths.contains(dailyGoalSeconds) {
            throw Refusal.accounts.invalidDailyGoal
        }
        theme = try fields.optionalString("theme").map { try Theme(named: $0) }
        globalBoard = try fields.optionalBool("global_board")
        defaultTimerSeconds = try fields.optionalInt("default_timer_seconds")
        if let defaultTimerSeconds, !RuleNumber.lengths.contains(defaultTimerSeconds) {
            throw Refusal.accounts.invalidDefaultTimer
        }
        if fields.has("quiet_hours") {
            quietHours = .some(try fields.optionalObject("quiet_hours", "from", "to").map { try Self.quietHours($0) })
        }
        for one in Switch.allCases { switches[one] = try fields.optionalBool(one.rawValue) }
    }

    /// Trimmed, in NFC, one visible line of 1 to 40 code points.
    static func nickname(_ text: String) throws -> String {
        guard let nickname = PlainText.line(text, atMost: 40) else {
            throw Refusal.accounts.invalidNickname
        }
        return nickname
    }

    private static func quietHours(_ fields: Fields) throws -> Profile.QuietHours {
        func time(_ name: String) throws -> TimeOfDay {
            guard let time = TimeOfDay(try fields.string(name)) else {
                throw Refusal.accounts.invalidQuietTime.at("quiet_hours.\(name)")
            }
            return time
        }
        let hours = Profile.QuietHours(from: try time("from"), to: try time("to"))
        guard hours.from != hours.to else { throw Refusal.accounts.invalidQuietHours }
        return hours
    }

    static func locale(_ text: String) throws -> Language {
        guard let locale = Language(rawValue: text) else { throw Refusal.accounts.unknownLocale }
        return locale
    }
}
