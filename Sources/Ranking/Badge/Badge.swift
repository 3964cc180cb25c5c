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
        /// What all members have studied in it together, running timers included.
        let seconds: Int
        let memberCount: Int
        /// How many study now.
        let studying: Int
    }

    /// How a badge is drawn; as the viewer's system is, unless one of the two is asked for.
    enum Theme: String, Sendable {
        case system, light, dark
    }
}
