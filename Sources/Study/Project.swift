import API
import HTTP
import Postgres
import Time

/// A goal with tasks; a task may be in several.
package struct Project: Sendable, Encodable {
    package let id: ID
    package let name: String
    package let colour: Colour
    package let archived: Bool
    /// The sum of its tasks' estimates, those left out that were archived undone.
    package let estimateSeconds: Int
    /// What was studied on its tasks.
    package let actualSeconds: Int
    /// The rate of progress from 0 to 1, by estimate: the schema's `projects_of` says how. nil without tasks.
    @OrNull package var progress: Double?
    package let taskCount: Int
    package let doneCount: Int
    package let createdAt: Instant
}
