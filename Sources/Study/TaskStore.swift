import API
import HTTP
import Postgres

/// Tasks in the database.
struct TaskStore: Sendable {
    let database: Database

    /// The tasks of one shelf, in one project or anywhere, the oldest first; throws `unknown_project`.
    func all(of uid: ID, _ shelf: Shelf, in project: ID?, _ paging: Paging) async throws -> Page<StudyTask> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            """
            SELECT * FROM tasks_of(
              \(uid), NULL, \(shelf.isArchived), \(project), \(after?.instant), \(after?.id), \(paging.limit + 1))
            """)
        if rows.isEmpty, let project { try await require(project, of: uid) }
        return try Page(rows, paging, by: "created_at", "id", item: Self.task)
    }

    /// One task; throws `not_found`.
    func find(_ id: ID, of uid: ID) async throws -> StudyTask {
        try Self.task(in: await database.read(Self.one(id, uid)))
    }

    func add(_ draft: TaskDraft, of uid: ID) async throws -> StudyTask {
        let id = ID()
        return try await write(
            "SELECT add_task(\(uid), \(id), \(draft.title), \(draft.estimateSeconds), \(draft.projects))", id, uid)
    }

    func change(_ id: ID, of uid: ID, _ change: TaskChange) async throws -> StudyTask {
        try await write(
            """
            SELECT change_task(\(uid), \(id), \(change.title), \(change.keepsEstimate), \(change.estimateSeconds),
              \(change.projects), \(change.done), \(change.archived))
            """, id, uid)
    }

    /// Removes it, or archives it where time hangs on it; answers it in that case.
    func remove(_ id: ID, of uid: ID) async throws -> StudyTask? {
        try await Refusal.labels.mapConstraints {
            let rows = try await database.write(["SELECT remove_task(\(uid), \(id))", Self.one(id, uid)])
            return try rows[1].first.map(Self.task)
        }
    }

    private func require(_ project: ID, of uid: ID) async throws {
        let rows = try await database.read("SELECT FROM projects WHERE uid = \(uid) AND id = \(project)")
        if rows.isEmpty { throw Refusal.labels.unknownProject.at("project") }
    }

    private func write(_ query: Query, _ id: ID, _ uid: ID) async throws -> StudyTask {
        try await Refusal.labels.mapConstraints {
            try Self.task(in: await database.write([query, Self.one(id, uid)])[1])
        }
    }

    private static func one(_ id: ID, _ uid: ID) -> Query {
        "SELECT * FROM tasks_of(\(uid), \(id), NULL, NULL, NULL, NULL, 1)"
    }

    private static func task(in rows: Rows) throws -> StudyTask {
        guard let row = rows.first else { throw Refusal.labels.notFound }
        return try task(row)
    }

    private static func task(_ row: Row) throws -> StudyTask {
        StudyTask(
            id: try row["id"], title: try row["title"], projectIds: try row["project_ids"],
            estimateSeconds: try row["estimate_seconds"], actualSeconds: try row["actual_seconds"],
            done: try row["done"], archived: try row["archived"], createdAt: try row["created_at"])
    }
}
