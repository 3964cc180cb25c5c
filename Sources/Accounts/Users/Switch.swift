import Postgres

/// What a person turns on and off in the settings, each by the name of its column and of its field.
package enum Switch: String, CaseIterable, CodingKey, Sendable {
    /// Whether clients may sound and notify.
    case sounds, notices
    /// Whether a timer that runs for hours without a pause brings a mail.
    case unattendedMail = "unattended_mail"
    /// Whether a letter comes when a month of a group is closed.
    case digestMail = "digest_mail"
    /// Whether a letter about the week comes when it has ended.
    case weeklyMail = "weekly_mail"
    /// Whether the members of one's groups see which subject one is studying.
    case subjectShown = "subject_shown"
    /// Whether they see one's calendar and streak, and one's closed months beside theirs.
    case daysShown = "days_shown"
    /// Whether these are pushed: the alarm, the end of a countdown, a timer that runs for hours, a closed month, and
    /// being passed by somebody in a group.
    case alarmPush = "alarm_push"
    case timerPush = "timer_push"
    case unattendedPush = "unattended_push"
    case monthPush = "month_push"
    case passedPush = "passed_push"
}

extension Switch {
    func turned(_ isOn: Bool, of uid: ID) -> Query { "SELECT set_switch(\(uid), \(rawValue), \(isOn))" }
}
