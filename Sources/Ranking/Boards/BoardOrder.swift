import API

extension Leaderboard {
    /// What a board ranks by.
    package enum Order: String, Sendable, CaseIterable {
        case seconds
        /// How far the own goals of the days so far were reached, in thousandths.
        case goal
        /// On how many of these days the goal was reached.
        case consistency

        /// Reads `?order=` (default seconds); throws `invalid_order`.
        package init(query: String?) throws {
            guard let order = Order(rawValue: query ?? Order.seconds.rawValue) else {
                throw Refusal.ranking.invalidOrder
            }
            self = order
        }

        /// The API's name for the gap to the next rank. `gap_to_next_seconds` is always present, but null in the other
        /// orders.
        var gapName: StaticString {
            switch self {
            case .seconds: "gap_to_next_seconds"
            case .goal: "gap_to_next_permille"
            case .consistency: "gap_to_next_days"
            }
        }
    }

    /// An entry beside its own goals, in the orders that are about them.
    package struct Effort: Sendable, Hashable {
        package let goalPermille: Int
        package let daysMet: Int

        /// nil without both.
        init?(_ goalPermille: Int?, _ daysMet: Int?) {
            guard let goalPermille, let daysMet else { return nil }
            self.goalPermille = goalPermille
            self.daysMet = daysMet
        }
    }
}
