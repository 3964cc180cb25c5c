import API
import HTTP
import Postgres

/// Subjects in the database.
struct SubjectStore: Sendable {
    let database: Database

    /// The subjects of one shelf, the one used last first.
    func all(of uid: ID, _ shelf: Shelf, _ paging: Paging) async throws -> Page<Subject> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            """
            SELECT * FROM subjects_of(
              \(uid), NULL, \(shelf.isArchived), \(after?.instant), \(after?.id), \(paging.limit + 1))
            """)
        return try Page(rows, paging, by: "used_at", "id", item: Self.subject)
    }

    /// One subject; throws `not_found`.
    func find(_ id: ID, of uid: ID) async throws -> Subject {
        try Self.subject(in: await database.read(Self.one(id, uid)))
    }

    func add(_ name: String, _ colour: Colour?, of uid: ID) async throws -> Subject {
        let id = ID()
        return try await write("SELECT add_subject(\(uid), \(id), \(name), \(colour?.rawValue))", id, uid)
    }

    func change(_ id: ID, of uid: ID, _ change: LabelChange) async throws -> Subject {
        try await write(
            "SELECT change_subject(\(uid), \(id), \(change.name), \(change.colour?.rawValue), \(change.archived))", id,
            uid)
    }

    /// Removes it, or archives it where time hangs on it; answers it in that case.
    func remove(_ id: ID, of uid: ID) async throws -> Subject? {
        try await Refusal.labels.mapConstraints {
            let rows = try await database.write(["SELECT remove_subject(\(uid), \(id))", Self.one(id, uid)])
            return try rows[1].first.map(Self.subject)
        }
    }

    private func write(_ query: Query, _ id: ID, _ uid: ID) async throws -> Subject {
        try await Refusal.labels.mapConstraints {
            try Self.subject(in: await database.write([query, Self.one(id, uid)])[1])
        }
    }

    private static func one(_ id: ID, _ uid: ID) -> Query {
        "SELECT * FROM subjects_of(\(uid), \(id), NULL, NULL, NULL, 1)"
    }

    private static func subject(in rows: Rows) throws -> Subject {
        guard let row = rows.first else { throw Refusal.labels.notFound }
        return try subject(row)
    }

    private static func subject(_ row: Row) throws -> Subject {
        Subject(
            id: try row["id"], name: try row["name"], colour: try row["colour"], archived: try row["archived"],
            createdAt: try row["created_at"])
    }
}
