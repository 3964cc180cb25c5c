import API
import HTTP
import Postgres
import Time

/// The directory of listed groups and requests to join them, in the database.
struct DirectoryStore: Sendable {
    let database: Database

    /// Listed groups that have all of these words, the newest first.
    func find(_ words: String, for reader: ID, _ paging: Paging) async throws -> Page<ListedGroup> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            "SELECT * FROM find_groups(\(reader), \(words), \(after?.instant), \(after?.id), \(paging.limit + 1))")
        return try Page(rows, paging, by: "created_at", "group_id") { row in
            let request: ID? = try row["request_id"]
            return ListedGroup(
                id: try row["group_id"], name: try row["name"], description: try row["description"],
                colour: try row["colour"], emoji: try row["emoji"], rules: try Rules(row),
                memberCount: try row["member_count"], meanSeconds: try row["mean_seconds"],
                createdAt: try row["created_at"], isMember: try row["is_member"],
                myRequest: try request.map { id in
                    ListedGroup.Request(
                        id: id, state: JoinState(accepted: try row["accepted"]), askedAt: try row["asked_at"],
                        answeredAt: try row["answered_at"])
                })
        }
    }

    /// Asks to join a listed group and answers the request's id.
    func ask(to group: ID, by uid: ID, _ words: String?) async throws -> ID {
        try await Refusal.groups.mapConstraints {
            try await database.write("SELECT ask_to_join(\(uid), \(group), \(words))").one.decode(ID.self)
        }
    }

    /// One's own requests, the newest first.
    func requests(of uid: ID, _ paging: Paging) async throws -> Page<OwnJoinRequest> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            """
            SELECT * FROM own_join_requests
            WHERE uid = \(uid) AND (\(after == nil) OR (asked_at, request_id) < (\(after?.instant), \(after?.id)))
            ORDER BY asked_at DESC, request_id DESC LIMIT \(paging.limit + 1)
            """)
        return try Page(rows, paging, by: "asked_at", "request_id", item: OwnJoinRequest.init)
    }

    /// One of them; throws `not_found` for somebody else's.
    func request(_ id: ID, of uid: ID) async throws -> OwnJoinRequest {
        let rows = try await database.read(
            "SELECT * FROM own_join_requests WHERE uid = \(uid) AND request_id = \(id)")
        guard let row = rows.first else { throw Refusal.groups.notFound }
        return try OwnJoinRequest(row)
    }

    /// Takes an open request back.
    func withdraw(_ id: ID, by uid: ID) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write("SELECT withdraw_join_request(\(uid), \(id))")
        }
    }

    /// The open requests of a group, the oldest first; admins only.
    func open(in group: ID, for actor: ID, _ paging: Paging) async throws -> Page<OpenJoinRequest> {
        let after = try paging.instantAndID()
        return try await Refusal.groups.mapConstraints {
            let rows = try await database.read(
                "SELECT * FROM join_requests_of(\(actor), \(group), \(after?.instant), \(after?.id), \(paging.limit + 1))"
            )
            return try Page(rows, paging, by: "asked_at", "request_id") { row in
                OpenJoinRequest(
                    id: try row["request_id"], uid: try row["uid"], nickname: try row["nickname"],
                    text: try row["words"], askedAt: try row["asked_at"])
            }
        }
    }

    /// Accepts or declines a request; admins only.
    func answer(_ id: ID, in group: ID, by actor: ID, accepts: Bool) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write("SELECT answer_join_request(\(actor), \(group), \(id), \(accepts))")
        }
    }
}

extension OwnJoinRequest {
    /// A row of the view `own_join_requests`.
    fileprivate init(_ row: Row) throws {
        self.init(
            id: try row["request_id"], group: Group(id: try row["group_id"], name: try row["name"]),
            text: try row["words"], state: JoinState(accepted: try row["accepted"]), askedAt: try row["asked_at"],
            answeredAt: try row["answered_at"])
    }
}
