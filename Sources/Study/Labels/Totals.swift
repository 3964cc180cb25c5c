import API
import HTTP
import Postgres
import Time

/// Study time on some study days, by what it was for.
package struct Totals: Sendable, Encodable {
    package enum Kind: String, Sendable, Encodable {
        case subject, project, task
    }

    package struct Item: Sendable, Encodable {
        /// nil for what is on nothing.
        @OrNull package var id: ID?
        @OrNull package var name: String?
        @OrNull package var colour: Colour?
        package let archived: Bool
        package let seconds: Int
    }

    package let by: Kind
    package let from: Day
    /// Included.
    package let to: Day
    /// The most first.
    package let items: [Item]
    /// All study of these days. By project the items may add up to more: a task counts in each of its projects.
    package let seconds: Int
}
