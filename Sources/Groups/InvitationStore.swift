import Foundation
import Postgres

/// Invitations in the database, which keeps only a digest of their codes.
struct InvitationStore: Sendable {
    let database: Database

    /// Keeps a new invitation by its code; admins only.
    func create(
        _ code: String, to group: UUID, by actor: UUID, uses: Int?, days: Int?
    ) async throws -> (expiresAt: Instant, usesLeft: Int?) {
        try await GroupsError.naming {
            let rows = try await database.write(
                """
                SELECT expires_at, uses_left
                FROM create_invitation(\(actor), \(group), \(code), \(uses), \(days ?? 7))
                """)
            return try rows[0].decode(Instant.self, Int?.self)
        }
    }

    /// What the code opens; throws `invitation_expired` for one that can no longer be used.
    func preview(_ code: String) async throws -> InvitationPreview {
        try await GroupsError.naming {
            let rows = try await database.read("SELECT * FROM invitation_preview(\(code))")
            guard let row = rows.first else { throw GroupsError.notFound }
            return InvitationPreview(
                group: InvitationPreview.Group(
                    id: try row["group_id"], name: try row["name"], description: try row["description"],
                    memberCount: try row["member_count"], rules: try Rules(row)),
                expiresAt: try row["expires_at"], usesLeft: try row["uses_left"])
        }
    }

    /// Joins the group of the code, which loses one use.
    func accept(_ code: String, by uid: UUID) async throws -> Membership {
        try await GroupsError.naming {
            let rows = try await database.write(
                "SELECT group_id, role, joined_at FROM accept_invitation(\(uid), \(code))")
            let (group, role, joinedAt) = try rows[0].decode(UUID.self, Role.self, Instant.self)
            return Membership(groupID: group, uid: uid, role: role, visibility: .shown, joinedAt: joinedAt)
        }
    }
}
