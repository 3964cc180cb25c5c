import API
import HTTP
import Postgres
import Time

/// A goal with tasks; a task may be in several.
package struct Project: ColouredLabel {
    package let id: ID
    package let name: String
    package let colour: Colour
    package let archived: Bool
    /// The sum of its tasks' estimates, without tasks that were archived undone.
    package let estimateSeconds: Int
    /// What was studied on its tasks.
    package let actualSeconds: Int
    /// The rate of progress from 0 to 1, by estimate: the schema's `projects_of` says how. nil without tasks.
    @OrNull package var progress: Double?
    package let taskCount: Int
    package let doneCount: Int
    package let createdAt: Instant
}

extension Project {
    static let kind = "project"
    /// The oldest first.
    static let order = "created_at"

    static func query(_ selection: LabelSelection) -> Query {
        """
        SELECT * FROM projects_of(
          \(selection.uid), \(selection.id), \(selection.isArchived), \(selection.after?.instant),
          \(selection.after?.id), \(selection.limit))
        """
    }

    init(_ row: Row) throws {
        self.init(
            id: try row["id"], name: try row["name"], colour: try row["colour"], archived: try row["archived"],
            estimateSeconds: try row["estimate_seconds"], actualSeconds: try row["actual_seconds"],
            progress: try row["progress"], taskCount: try row["task_count"], doneCount: try row["done_count"],
            createdAt: try row["created_at"])
    }
}
