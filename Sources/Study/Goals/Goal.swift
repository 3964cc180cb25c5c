import API
import HTTP
import Postgres
import Time

/// What somebody wants to study in a week or a month, and how far they are.
package struct PeriodGoal: Sendable, Codable {
    let period: String
    /// A Monday, or the first of a month, of the study clock.
    let firstDay: Day
    let goalSeconds: Int
    /// The running timer included.
    let studySeconds: Int

    private enum CodingKeys: String, CodingKey {
        case period
        case firstDay = "first_day"
        case goalSeconds = "goal_seconds"
        case studySeconds = "study_seconds"
    }
}

/// A date that somebody counts down to.
package struct TargetDate: Sendable, Codable {
    let id: ID
    let title: String
    let day: Day
    /// Study days from today on; negative when the date is over.
    let daysLeft: Int

    private enum CodingKeys: String, CodingKey {
        case id, title, day
        case daysLeft = "days_left"
    }

    /// A trimmed line of 1 to 40 characters; throws `invalid_date_title`.
    static func title(_ text: String) throws -> String {
        guard let title = PlainText.line(text, atMost: 40) else { throw Refusal.goals.invalidTitle }
        return title
    }
}
