import API
import Groups
import HTTP
import Postgres
import Time

/// Suspensions from the service's own boards, in the database. They are kept and told like those of groups.
struct ServiceSuspensionStore: Sendable {
    let database: Database

    /// Keeps a user off the global board and the board of groups until then, and answers the suspension's id.
    func suspend(_ user: ID, by admin: ID, reason: String, until: Instant) async throws -> ID {
        try await Refusal.mapping {
            let rows = try await database.write(
                "SELECT suspend_from_service(\(admin), \(user), \(reason), \(until))")
            return try rows[0].decode(ID.self)
        }
    }

    /// Ends a suspension at once; nobody ends their own.
    func lift(_ suspension: ID, by admin: ID) async throws {
        try await Refusal.mapping {
            _ = try await database.write("SELECT lift_service_suspension(\(admin), \(suspension))")
        }
    }

    /// Keeps what the user says to their suspension, in place of what they said before.
    func answer(_ suspension: ID, by user: ID, _ answer: String) async throws {
        try await Refusal.mapping {
            _ = try await database.write("SELECT answer_service_suspension(\(user), \(suspension), \(answer))")
        }
    }

    /// The suspensions of everybody or of one user, the latest first.
    func all(of user: ID? = nil, _ paging: Paging) async throws -> Page<Suspension> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            """
            SELECT * FROM service_suspensions(\(user), \(after?.instant), \(after?.id), \(paging.limit + 1))
            """)
        return try Page(rows, paging, by: "since", "suspension_id", item: Suspension.init)
    }

    /// One of these; throws `not_found`.
    func one(_ suspension: ID, of user: ID? = nil) async throws -> Suspension {
        let rows = try await database.read(
            "SELECT * FROM service_suspensions(\(user), NULL, NULL, NULL) WHERE suspension_id = \(suspension)")
        guard let row = rows.first else { throw Refusal.moderation.notFound }
        return try Suspension(row)
    }
}
