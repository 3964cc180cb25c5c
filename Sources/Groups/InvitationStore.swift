import API
import HTTP
import Postgres
import Time

/// Invitations in the database, which keeps only a digest of their codes.
struct InvitationStore: Sendable {
    let database: Database

    /// Stores a new invitation under its code; admins only.
    func create(
        _ code: String, to group: ID, by actor: ID, uses: Int?, days: Int?
    ) async throws -> (id: ID, expiresAt: Instant, usesLeft: Int?) {
        try await Refusal.groups.mapConstraints {
            let rows = try await database.write(
                """
                SELECT invitation_id, expires_at, uses_left
                FROM create_invitation(\(actor), \(group), \(code), \(uses), \(days))
                """)
            return try rows[0].decode(ID.self, Instant.self, Int?.self)
        }
    }

    /// A group's invitations, the latest first; admins only.
    func all(of group: ID, for actor: ID, _ paging: Paging) async throws -> Page<SentInvitation> {
        let after = try paging.instantAndID()
        return try await Refusal.groups.mapConstraints {
            let rows = try await database.read(
                "SELECT * FROM invitations_of(\(actor), \(group), \(after?.instant), \(after?.id), \(paging.limit + 1))"
            )
            return try Page(rows, paging, by: "created_at", "invitation_id") { row in
                SentInvitation(
                    id: try row["invitation_id"], createdBy: try row["created_by"], nickname: try row["nickname"],
                    createdAt: try row["created_at"], expiresAt: try row["expires_at"], usesLeft: try row["uses_left"],
                    revoked: try row["revoked"])
            }
        }
    }

    /// Ends an invitation; admins only.
    func revoke(_ invitation: ID, of group: ID, by actor: ID) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write("SELECT revoke_invitation(\(actor), \(group), \(invitation))")
        }
    }

    /// What the code opens; throws `invitation_expired` for one that can no longer be used.
    func preview(_ code: String) async throws -> InvitationPreview {
        try await Refusal.groups.mapConstraints {
            let rows = try await database.read("SELECT * FROM invitation_preview(\(code))")
            guard let row = rows.first else { throw Refusal.groups.notFound }
            return InvitationPreview(
                group: try (row["group_id"] as ID?).map { id in
                    InvitationPreview.Group(
                        id: id, name: try row["name"], description: try row["description"],
                        colour: try row["colour"], emoji: try row["emoji"], memberCount: try row["member_count"],
                        rules: try Rules(row))
                },
                expiresAt: try row["expires_at"], usesLeft: try row["uses_left"])
        }
    }

    /// Joins the group of the code, which loses one use.
    func accept(_ code: String, by uid: ID) async throws -> Membership {
        try await Refusal.groups.mapConstraints {
            let rows = try await database.write(
                "SELECT group_id, role, visibility, joined_at FROM accept_invitation(\(uid), \(code))")
            let (group, role, visibility, joinedAt) = try rows[0].decode(
                ID.self, Role.self, Visibility.self, Instant.self)
            return Membership(groupID: group, uid: uid, role: role, visibility: visibility, joinedAt: joinedAt)
        }
    }
}
