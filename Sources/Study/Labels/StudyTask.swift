import API
import HTTP
import Postgres
import Time

/// Something to get done. It may be in several projects, and study may be on it.
package struct StudyTask: StudyLabel {
    package let id: ID
    package let title: String
    package let projectIds: [ID]
    @OrNull package var estimateSeconds: Int?
    /// What was studied on it, the running timer's seconds included.
    package let actualSeconds: Int
    package let done: Bool
    package let archived: Bool
    package let createdAt: Instant
}

extension StudyTask {
    static let kind = "task"
    /// The oldest first.
    static let order = "created_at"

    static func query(_ selection: LabelSelection) -> Query {
        """
        SELECT * FROM tasks_of(
          \(selection.uid), \(selection.id), \(selection.isArchived), \(selection.project),
          \(selection.after?.instant), \(selection.after?.id), \(selection.limit), \(selection.isDone))
        """
    }

    init(_ row: Row) throws {
        self.init(
            id: try row["id"], title: try row["title"], projectIds: try row["project_ids"],
            estimateSeconds: try row["estimate_seconds"], actualSeconds: try row["actual_seconds"],
            done: try row["done"], archived: try row["archived"], createdAt: try row["created_at"])
    }
}

/// A new task.
struct TaskDraft {
    let title: String
    let estimateSeconds: Int?
    let projects: [ID]

    init(_ fields: Fields) throws {
        title = try LabelText.title(fields.string("title"))
        estimateSeconds = try TaskChange.estimate(fields)
        projects = try TaskChange.projects(fields) ?? []
    }
}

/// What a task is to become; what is nil stays as it is.
struct TaskChange {
    let title: String?
    /// An estimate of `null` removes the estimate.
    let keepsEstimate: Bool
    let estimateSeconds: Int?
    let projects: [ID]?
    let done: Bool?
    let archived: Bool?

    init(_ fields: Fields) throws {
        title = try fields.optionalString("title").map(LabelText.title)
        keepsEstimate = !fields.has("estimate_seconds")
        estimateSeconds = try Self.estimate(fields)
        projects = try Self.projects(fields)
        done = try fields.optionalBool("done")
        archived = try fields.optionalBool("archived")
    }

    /// From a minute to a thousand hours.
    fileprivate static func estimate(_ fields: Fields) throws -> Int? {
        let seconds = try fields.optionalInt("estimate_seconds")
        if let seconds, !(60...3_600_000).contains(seconds) { throw Refusal.labels.invalidEstimate }
        return seconds
    }

    fileprivate static func projects(_ fields: Fields) throws -> [ID]? {
        let projects = try fields.optionalUUIDs("project_ids")
        if let projects, projects.count > 20 { throw Refusal.labels.tooManyProjectsOfTask }
        return projects
    }
}
