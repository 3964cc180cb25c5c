import Synchronization

/// The numbers of the rules, for this program's texts. They are defined only in the database (`rule_numbers()` in
/// `sql/functions/numbers.sql`) and are read once, at the start.
package struct RuleNumbers: Sendable {
    /// A text names a number that does not exist.
    package struct Unknown: Error, CustomStringConvertible {
        let name: String

        package var description: String { "rule_numbers() does not tell \(name)" }
    }

    private static let told = Mutex<RuleNumbers?>(nil)

    /// The numbers of this process. Set them before anything reads one.
    package static var current: RuleNumbers {
        get {
            guard let numbers = told.withLock({ $0 }) else { preconditionFailure("no numbers of the rules were read") }
            return numbers
        }
        set { told.withLock { $0 = newValue } }
    }

    private let values: [String: Int]

    /// Throws ``Unknown`` if one that the program needs is missing.
    package init(_ values: [String: Int]) throws {
        self.values = values
        for number in RuleNumber.allCases { _ = try value(number.rawValue) }
    }

    fileprivate func value(_ name: String) throws -> Int {
        guard let value = values[name] else { throw Unknown(name: name) }
        return value
    }

    /// The text with each `{{name}}` replaced by that number. Throws ``Unknown``.
    package func fill(_ text: String) throws -> String {
        try text.replacing(#/\{\{(\w+)\}\}/#) { String(try value(String($0.1))) }
    }

    /// A module of JavaScript that exports them all.
    package var script: String {
        let members = values.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value),\n" }
        return "export const numbers = {\n\(members.joined())};\n"
    }
}

/// A number that the program's own answers tell: `"at most \(RuleNumber.mostGroups) groups"`.
package enum RuleNumber: String, CaseIterable, CustomStringConvertible {
    case dayStartsBeforeHour = "day_starts_before_hour"
    case shortestLength = "shortest_length"
    case longestIntervalHours = "longest_interval_hours"
    case loggingWindowHours = "logging_window_hours"
    case unattendedAfterHours = "unattended_after_hours"
    case alarmWindowMinutes = "alarm_window_minutes"
    case alarmTries = "alarm_tries"
    case restDaysAMonth = "rest_days_a_month"
    case restDaysAhead = "rest_days_ahead"
    case mostDaysAtOnce = "most_days_at_once"
    case longestSuspensionDays = "longest_suspension_days"
    case mostReportsADay = "most_reports_a_day"
    case mostNoticeCharacters = "most_notice_characters"
    case mostCheersADay = "most_cheers_a_day"
    case mostJoinRequests = "most_join_requests"
    case joinRequestPauseDays = "join_request_pause_days"
    case mostGroups = "most_groups"
    case mostMembers = "most_members"
    case mostMonthGoal = "most_month_goal"
    case mostLabels = "most_labels"
    case mostPlans = "most_plans"
    case mostTargetDates = "most_target_dates"
    case longestWeek = "longest_week"
    case longestMonth = "longest_month"
    case mostPushDevices = "most_push_devices"
    case mostApiKeys = "most_api_keys"
    case mostApiKeyDays = "most_api_key_days"
    case mostWebhooks = "most_webhooks"
    case testPauseSeconds = "test_pause_seconds"
    case mostInvitationDays = "most_invitation_days"
    case mostInvitationUses = "most_invitation_uses"
    case mostPictureMegabytes = "most_picture_megabytes"
    case mostPictureMegapixels = "most_picture_megapixels"
    case avatarSide = "avatar_side"
    case mostAvatarBytes = "most_avatar_bytes"
    case longestSignInDays = "longest_sign_in_days"
    case registrationLinkHours = "registration_link_hours"
    case accountLinkMinutes = "account_link_minutes"
    case emailHoldDays = "email_hold_days"

    package var value: Int {
        do { return try RuleNumbers.current.value(rawValue) } catch { preconditionFailure("\(error)") }
    }

    package var description: String { String(value) }

    /// How long goals, timers, and work or rest of a plan may be, in seconds; the same as `is_part_of_a_day` of the schema.
    package static var lengths: ClosedRange<Int> { RuleNumber.shortestLength.value...86_400 }
}
