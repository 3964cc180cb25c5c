import API
import HTTP
import Postgres
import Time

/// Who is kept off the boards of a group, and what was done in it, in the database.
struct SuspensionStore: Sendable {
    let database: Database

    /// Keeps a member off the boards until then and answers the suspension's id. Admins may suspend members, owners anybody
    /// but themselves.
    func suspend(
        _ member: ID, from group: ID, by actor: ID, reason: String, until: Instant
    ) async throws -> ID {
        try await Refusal.groups.mapConstraints {
            let rows = try await database.write(
                "SELECT suspend_member(\(actor), \(group), \(member), \(reason), \(until))")
            return try rows[0].decode(ID.self)
        }
    }

    /// Ends a suspension at once. Needs the same role as suspending; nobody ends their own.
    func lift(_ suspension: ID, in group: ID, by actor: ID) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write("SELECT lift_suspension(\(actor), \(group), \(suspension))")
        }
    }

    /// Keeps what the member says to their suspension, in place of what they said before.
    func answer(_ suspension: ID, in group: ID, by uid: ID, _ answer: String) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write("SELECT answer_suspension(\(uid), \(group), \(suspension), \(answer))")
        }
    }

    /// A group's suspensions, the latest first: all for admins, for a member their own.
    func all(of group: ID, for reader: ID, _ paging: Paging) async throws -> Page<Suspension> {
        let after = try paging.instantAndID()
        return try await Refusal.groups.mapConstraints {
            let rows = try await database.read(
                """
                SELECT * FROM suspensions_of(\(reader), \(group), \(after?.instant), \(after?.id), \(paging.limit + 1))
                """)
            return try Page(rows, paging, by: "since", "suspension_id", item: Suspension.init)
        }
    }

    /// One of these; throws `not_found` for one that is not the reader's to see.
    func one(_ suspension: ID, of group: ID, for reader: ID) async throws -> Suspension {
        let rows = try await Refusal.groups.mapConstraints {
            try await database.read(
                """
                SELECT * FROM suspensions_of(\(reader), \(group), NULL, NULL, NULL) WHERE suspension_id = \(suspension)
                """)
        }
        guard let row = rows.first else { throw Refusal.groups.notFound }
        return try Suspension(row)
    }

    /// What was done in a group, the latest first; admins only.
    func events(in group: ID, for actor: ID, _ paging: Paging) async throws -> Page<GroupEvent> {
        let after = try paging.instantAndID()
        return try await Refusal.groups.mapConstraints {
            let rows = try await database.read(
                "SELECT * FROM group_audit(\(actor), \(group), \(after?.instant), \(after?.id), \(paging.limit + 1))")
            return try Page(rows, paging, by: "at", "id", item: GroupEvent.init)
        }
    }
}

extension Suspension {
    /// A row of the view `told_suspensions`.
    package init(_ row: Row) throws {
        self.init(
            id: try row["suspension_id"], uid: try row["uid"], nickname: try row["nickname"],
            reason: try row["reason"], since: try row["since"], until: try row["until"],
            inForce: try row["in_force"],
            suspendedBy: try NamedUser(row, "suspended_by", "suspended_by_name"),
            liftedAt: try row["lifted_at"], liftedBy: try NamedUser(row, "lifted_by", "lifted_by_name"),
            answer: try row["answer"], answeredAt: try row["answered_at"])
    }
}

extension NamedUser {
    /// Nil where there is no uid.
    package init?(_ row: Row, _ uid: String, _ nickname: String) throws {
        guard let uid: ID = try row[uid] else { return nil }
        self.init(uid: uid, nickname: try row[nickname])
    }
}

extension GroupEvent {
    /// A row of `group_audit` or `service_audit`.
    package init(_ row: Row) throws {
        let details: String = try row["details"]
        self.init(
            at: try row["at"], kind: try row["kind"], actor: try NamedUser(row, "actor_uid", "actor_name"),
            member: try NamedUser(row, "member_uid", "member_name"), details: JSON(text: Array(details.utf8)) ?? .null)
    }
}
