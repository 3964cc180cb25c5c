import API
import Accounts
import HTTP
import Postgres
import Time

/// Who is in a group, in the database.
struct MemberStore: Sendable {
    let database: Database

    /// The members, longest-standing first; with `named`, those whose nickname contains it, ignoring case. Hidden
    /// members are seen by themselves and by admins alone, but not by an admin's key. Throws `not_found` if the caller
    /// is no member.
    func all(in group: ID, for caller: Caller, named: String? = nil, _ paging: Paging) async throws -> Page<Member> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            """
            SELECT m.uid, u.nickname, a.version AS avatar, m.role, m.visibility, m.joined_at
            FROM group_members me
            JOIN group_members m ON m.group_id = me.group_id
            JOIN users u ON u.uid = m.uid
            LEFT JOIN shown_avatars a ON a.group_id = m.group_id AND a.uid = m.uid
            WHERE me.uid = \(caller.uid) AND me.group_id = \(group)
              AND (m.visibility <> 'hidden' OR m.uid = me.uid OR me.role <> 'member' AND \(!caller.isKey))
              AND (\(named == nil) OR strpos(lower(u.nickname), lower(\(named))) > 0)
              AND (\(after == nil) OR (m.joined_at, m.uid) > (\(after?.instant), \(after?.id)))
            ORDER BY m.joined_at, m.uid LIMIT \(paging.limit + 1)
            """)
        if rows.isEmpty { _ = try await membership(of: caller.uid, in: group) }
        return try Page(rows, paging, by: "joined_at", "uid") { row in
            let uid: ID = try row["uid"]
            return Member(
                uid: uid, nickname: try row["nickname"], avatarURL: AvatarURL(of: uid, version: try row["avatar"]),
                role: try row["role"], visibility: try row["visibility"], joinedAt: try row["joined_at"])
        }
    }

    /// One's own membership; throws `not_found` if there is none.
    func membership(of uid: ID, in group: ID) async throws -> Membership {
        let rows = try await database.read(
            """
            SELECT role, visibility, joined_at FROM group_members WHERE uid = \(uid) AND group_id = \(group)
            """)
        guard let row = rows.first else { throw Refusal.groups.notFound }
        let (role, visibility, joinedAt) = try row.decode(Role.self, Visibility.self, Instant.self)
        return Membership(groupID: group, uid: uid, role: role, visibility: visibility, joinedAt: joinedAt)
    }

    /// Makes a member an owner, an admin or a plain member; owners only.
    func setRole(_ role: Role, of member: ID, in group: ID, by actor: ID) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write(
                "SELECT set_member_role(\(actor), \(group), \(member), \(role.rawValue))")
        }
    }

    /// Chooses how much of oneself the others see.
    func setVisibility(_ visibility: Visibility, of uid: ID, in group: ID) async throws {
        let rows = try await database.write(
            """
            UPDATE group_members SET visibility = \(visibility.rawValue) WHERE uid = \(uid) AND group_id = \(group)
            """)
        if rows.affected == 0 { throw Refusal.groups.notFound }
    }

    /// Ends a membership, one's own or another's; with `ban` they cannot come back.
    func remove(_ member: ID, from group: ID, by actor: ID, ban: Bool) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write("SELECT remove_member(\(actor), \(group), \(member), \(ban))")
        }
    }

    /// Banned users, newest first; admins only.
    func bans(in group: ID, for actor: ID, _ paging: Paging) async throws -> Page<Ban> {
        let after = try paging.instantAndID()
        return try await Refusal.groups.mapConstraints {
            let rows = try await database.read(
                "SELECT * FROM bans_of(\(actor), \(group), \(after?.instant), \(after?.id), \(paging.limit + 1))")
            return try Page(rows, paging, by: "banned_at", "uid") { row in
                Ban(
                    uid: try row["uid"], nickname: try row["nickname"], bannedBy: try row["banned_by"],
                    bannedAt: try row["banned_at"])
            }
        }
    }

    /// Lets somebody back in; admins only.
    func liftBan(on uid: ID, in group: ID, by actor: ID) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write("SELECT lift_ban(\(actor), \(group), \(uid))")
        }
    }
}
