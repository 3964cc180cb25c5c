import API
import HTTP
import Postgres

/// Projects in the database.
struct ProjectStore: Sendable {
    let database: Database

    /// The projects of one shelf, the oldest first.
    func all(of uid: ID, _ shelf: Shelf, _ paging: Paging) async throws -> Page<Project> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            """
            SELECT * FROM projects_of(
              \(uid), NULL, \(shelf.isArchived), \(after?.instant), \(after?.id), \(paging.limit + 1))
            """)
        return try Page(rows, paging, by: "created_at", "id", item: Self.project)
    }

    /// One project; throws `not_found`.
    func find(_ id: ID, of uid: ID) async throws -> Project {
        try Self.project(in: await database.read(Self.one(id, uid)))
    }

    func add(_ name: String, _ colour: Colour?, of uid: ID) async throws -> Project {
        let id = ID()
        return try await write("SELECT add_project(\(uid), \(id), \(name), \(colour?.rawValue))", id, uid)
    }

    func change(_ id: ID, of uid: ID, _ change: LabelChange) async throws -> Project {
        try await write(
            "SELECT change_project(\(uid), \(id), \(change.name), \(change.colour?.rawValue), \(change.archived))", id,
            uid)
    }

    /// Removes it, or archives it where time hangs on it; answers it in that case.
    func remove(_ id: ID, of uid: ID) async throws -> Project? {
        try await Refusal.labels.mapConstraints {
            let rows = try await database.write(["SELECT remove_project(\(uid), \(id))", Self.one(id, uid)])
            return try rows[1].first.map(Self.project)
        }
    }

    private func write(_ query: Query, _ id: ID, _ uid: ID) async throws -> Project {
        try await Refusal.labels.mapConstraints {
            try Self.project(in: await database.write([query, Self.one(id, uid)])[1])
        }
    }

    private static func one(_ id: ID, _ uid: ID) -> Query {
        "SELECT * FROM projects_of(\(uid), \(id), NULL, NULL, NULL, 1)"
    }

    private static func project(in rows: Rows) throws -> Project {
        guard let row = rows.first else { throw Refusal.labels.notFound }
        return try project(row)
    }

    private static func project(_ row: Row) throws -> Project {
        Project(
            id: try row["id"], name: try row["name"], colour: try row["colour"], archived: try row["archived"],
            estimateSeconds: try row["estimate_seconds"], actualSeconds: try row["actual_seconds"],
            progress: try row["progress"], taskCount: try row["task_count"], doneCount: try row["done_count"],
            createdAt: try row["created_at"])
    }
}
