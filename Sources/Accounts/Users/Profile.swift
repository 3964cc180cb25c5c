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

    let uid: ID
    let email: String
    /// `null` if mail arrives, as far as we know.
    @OrNull var mailRefused: MailRefusal?
    let nickname: String
    let locale: String
    let studyClock: StudyClock
    let dailyGoalSeconds: Int
    let theme: String
    let globalBoard: Bool
    /// The length that clients offer for a timer.
    let defaultTimerSeconds: Int
    /// Whether clients may sound and notify.
    let sounds: Bool
    let notices: Bool
    /// Whether a timer that runs for hours without a pause brings a mail.
    let unattendedMail: Bool
    /// Whether a letter comes when a month of a group is closed.
    let digestMail: Bool
    @OrNull var avatarUrl: AvatarURL?
    let createdAt: Instant
    /// When the account will be deleted, if its owner asked for that.
    @OrNull var leavesAt: Instant?
}

/// What a person wants changed; nil leaves a thing as it is.
struct ProfileChange: Sendable {
    var nickname: String?
    var locale: Language?
    var timeZone: String?
    var dayStartsAt: TimeOfDay?
    var dailyGoalSeconds: Int?
    var theme: String?
    var globalBoard: Bool?
    var defaultTimerSeconds: Int?
    var sounds: Bool?
    var notices: Bool?
    var unattendedMail: Bool?
    var digestMail: Bool?

    /// Reads the body of `PATCH /me`; refuses by field what is against a rule.
    init(_ fields: Fields) throws {
        nickname = try fields.optionalString("nickname").map { try Self.nickname($0) }
        locale = try fields.optionalString("locale").map { try Self.locale($0) }
        let clock = try fields.optionalObject("study_clock", "time_zone", "day_starts_at")
        timeZone = try clock?.optionalString("time_zone")
        dayStartsAt = try clock?.optionalString("day_starts_at").map { text in
            guard let time = TimeOfDay(text), time.hour < 12 else {
                throw Refusal.accounts.invalidDayStart
            }
            return time
        }
        dailyGoalSeconds = try fields.optionalInt("daily_goal_seconds")
        if let dailyGoalSeconds, !(60...86400).contains(dailyGoalSeconds) {
            throw Refusal.accounts.invalidDailyGoal
        }
        theme = try fields.optionalString("theme")
        if let theme, !["system", "light", "dark"].contains(theme) {
            throw Refusal.accounts.unknownTheme
        }
        globalBoard = try fields.optionalBool("global_board")
        defaultTimerSeconds = try fields.optionalInt("default_timer_seconds")
        if let defaultTimerSeconds, !(60...86400).contains(defaultTimerSeconds) {
            throw Refusal.accounts.invalidDefaultTimer
        }
        sounds = try fields.optionalBool("sounds")
        notices = try fields.optionalBool("notices")
        unattendedMail = try fields.optionalBool("unattended_mail")
        digestMail = try fields.optionalBool("digest_mail")
    }

    /// Trimmed, in NFC, one visible line of 1 to 40 code points.
    static func nickname(_ text: String) throws -> String {
        guard let nickname = PlainText.line(text, atMost: 40) else {
            throw Refusal.accounts.invalidNickname
        }
        return nickname
    }

    static func locale(_ text: String) throws -> Language {
        guard let locale = Language(rawValue: text) else { throw Refusal.accounts.unknownLocale }
        return locale
    }
}
