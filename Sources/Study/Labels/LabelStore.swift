import API
import HTTP
import Postgres

/// Subjects, projects or tasks in the database.
struct LabelStore<Label: StudyLabel>: Sendable {
    let database: Database

    /// A page of them, in the order of their kind.
    func all(
        of uid: ID, _ filter: ArchivedFilter, in project: ID? = nil, isDone: Bool? = nil, _ paging: Paging
    ) async throws -> Page<Label> {
        var selection = LabelSelection(uid: uid, limit: paging.limit + 1)
        selection.isArchived = filter.isArchived
        selection.project = project
        selection.isDone = isDone
        selection.after = try paging.instantAndID()
        let rows = try await database.read(Label.query(selection))
        return try Page(rows, paging, by: Label.order, "id", item: Label.init)
    }

    /// One of them; throws `not_found`.
    func find(_ id: ID, of uid: ID) async throws -> Label {
        try Self.label(in: await database.read(Self.one(id, uid)))
    }

    /// Runs a query that adds or changes one, and returns the result.
    func write(_ query: Query, _ id: ID, of uid: ID) async throws -> Label {
        try await Refusal.labels.mapConstraints {
            try Self.label(in: await database.write([query, Self.one(id, uid)])[1])
        }
    }

    /// Deletes the label, or archives it if it has recorded time; returns it if it was archived.
    func remove(_ id: ID, of uid: ID) async throws -> Label? {
        try await Refusal.labels.mapConstraints {
            let remove: Query = "SELECT remove_label(\(uid), \(Label.kind), \(id))"
            return try await database.write([remove, Self.one(id, uid)])[1].first.map(Label.init)
        }
    }

    private static func one(_ id: ID, _ uid: ID) -> Query {
        var selection = LabelSelection(uid: uid, limit: 1)
        selection.id = id
        return Label.query(selection)
    }

    private static func label(in rows: Rows) throws -> Label {
        guard let row = rows.first else { throw Refusal.labels.notFound }
        return try Label(row)
    }
}

extension LabelStore where Label: ColouredLabel {
    func add(_ name: String, _ colour: Colour?, of uid: ID) async throws -> Label {
        let id = ID()
        return try await write(
            "SELECT add_label(\(uid), \(Label.kind), \(id), \(name), \(colour?.rawValue))", id, of: uid)
    }

    func change(_ id: ID, of uid: ID, _ change: LabelChange) async throws -> Label {
        try await write(
            """
            SELECT change_label(
              \(uid), \(Label.kind), \(id), \(change.name), \(change.colour?.rawValue), \(change.archived))
            """, id, of: uid)
    }
}

extension LabelStore where Label == StudyTask {
    /// Throws `unknown_project` if they have no such project.
    func require(_ project: ID, of uid: ID) async throws {
        let rows = try await database.read("SELECT FROM projects WHERE uid = \(uid) AND id = \(project)")
        if rows.isEmpty { throw Refusal.labels.unknownProject.at("project") }
    }

    func add(_ draft: TaskDraft, of uid: ID) async throws -> StudyTask {
        let id = ID()
        return try await write(
            "SELECT add_task(\(uid), \(id), \(draft.title), \(draft.estimateSeconds), \(draft.projects))", id, of: uid)
    }

    func change(_ id: ID, of uid: ID, _ change: TaskChange) async throws -> StudyTask {
        try await write(
            """
            SELECT change_task(\(uid), \(id), \(change.title), \(change.keepsEstimate), \(change.estimateSeconds),
              \(change.projects), \(change.done), \(change.archived))
            """, id, of: uid)
    }
}
