import API
import Postgres

/// People's pictures in the database.
struct AvatarStore: Sendable {
    struct Avatar: Sendable {
        let webp: [UInt8]
        let version: ID
    }

    let database: Database

    /// Nil also for a viewer who shares no board with them on which they show it.
    func find(_ uid: ID, for viewer: ID) async throws -> Avatar? {
        try await database.read(
            "SELECT webp, version FROM avatars WHERE uid = \(uid) AND may_see_avatar(\(viewer), uid)"
        ).first.map { Avatar(webp: try $0["webp"], version: try $0["version"]) }
    }

    /// Keeps the picture in place of the one before; answers its version.
    func keep(_ webp: [UInt8], of uid: ID, _ audit: AuditEvent) async throws -> ID {
        let kept: Query = """
            INSERT INTO avatars (uid, webp) VALUES (\(uid), \(webp))
            ON CONFLICT ON CONSTRAINT avatars_key DO UPDATE SET webp = excluded.webp, changed_at = anthill_clock()
            RETURNING version
            """
        return try await Refusal.avatars.mapConstraints {
            try await database.write([audit.query, kept])[1][0]["version"]
        }
    }

    func remove(of uid: ID, _ audit: AuditEvent) async throws {
        _ = try await database.write([audit.queryIfPictured, "DELETE FROM avatars WHERE uid = \(uid)"])
    }
}
