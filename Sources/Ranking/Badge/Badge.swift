import API
import HTTP
import Postgres
import Time

/// What a group that allows it shows of itself to anybody. It names nobody.
struct Badge: Sendable {
    let name: String
    let colour: Colour
    let emoji: String?
    let monthGoalSeconds: Int?
    let figures: Figures

    struct Figures: Sendable {
        /// The first day of the month that is under way by the group's clock.
        let month: Day
        /// What all members but the hidden ones have studied in it together, running timers included.
        let seconds: Int
        let memberCount: Int
        /// How many of them study now.
        let studying: Int
    }
}

/// What somebody shows of themselves on other websites.
struct OwnBadge: Sendable {
    let nickname: String
    /// It tells of the current one by the person's own clock.
    let period: Period.Length
    let firstDay: Day
    let seconds: Int
}
