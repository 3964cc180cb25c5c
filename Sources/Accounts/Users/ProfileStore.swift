import API
import HTTP
import Postgres
import Time

/// What is kept of a person, as they see it.
struct ProfileStore: Sendable {
    let database: Database

    func find(_ uid: ID) async throws -> Profile {
        try Self.profile(await database.read(query(uid)))
    }

    /// Applies the change, all or nothing, and returns the new profile. `audit` is recorded if the nickname changes.
    func change(_ uid: ID, _ change: ProfileChange, _ audit: AuditEvent) async throws -> Profile {
        var queries: [Query] = []
        // These first: the row of a student is locked before that of their user, as in every function.
        if change.timeZone != nil || change.dayStartsAt != nil {
            queries.append("SELECT set_study_clock(\(uid), \(change.timeZone), \(change.dayStartsAt)::time)")
        }
        if let seconds = change.dailyGoalSeconds { queries.append("SELECT set_daily_goal(\(uid), \(seconds))") }
        if let wanted = change.globalBoard { queries.append("SELECT set_global_board(\(uid), \(wanted))") }
        if let nickname = change.nickname { queries.append(audit.query(unlessNicknameIs: nickname)) }
        if change.touchesPlainColumns {
            queries.append(
                """
                UPDATE users SET nickname = coalesce(\(change.nickname), nickname),
                  locale = coalesce(\(change.locale?.rawValue), locale),
                  theme = coalesce(\(change.theme?.rawValue), theme),
                  default_timer_seconds = coalesce(\(change.defaultTimerSeconds), default_timer_seconds)
                WHERE uid = \(uid)
                """)
        }
        if let hours = change.quietHours {
            queries.append(
                "UPDATE users SET quiet_from = \(hours?.from)::time, quiet_to = \(hours?.to)::time WHERE uid = \(uid)")
        }
        for (name, isOn) in change.switches { queries.append(name.turned(isOn, of: uid)) }
        let all = queries + [query(uid)]
        return try await Refusal.accounts.mapConstraints(renaming: ["time_zone": "study_clock.time_zone"]) {
            try Self.profile(await database.write(all).last!)
        }
    }

    /// Answers one row that ``profile(_:)`` reads.
    func query(_ uid: ID) -> Query {
        """
        SELECT u.uid, e.email, c.email AS new_email, e.refused_since, e.refused_with, u.nickname, u.locale, s.time_zone,
          s.day_starts_at, s.daily_goal_seconds, u.theme, u.global_board, u.default_timer_seconds, u.quiet_from, u.quiet_to,
          switches_of(u, \(Switch.allCases.map(\.rawValue))) AS switches, a.version AS avatar, u.created_at, u.leaves_at,
          EXISTS (SELECT FROM site_admins x WHERE x.uid = u.uid) AS is_site_admin
        FROM users u JOIN students s ON s.uid = u.uid JOIN user_emails e ON e.uid = u.uid
        LEFT JOIN email_changes c ON c.uid = u.uid AND c.auth_epoch = u.auth_epoch
        LEFT JOIN avatars a ON a.uid = u.uid WHERE u.uid = \(uid)
        """
    }

    static func profile(_ rows: Rows) throws -> Profile {
        guard let row = rows.first else { throw Refusal.accounts.notSignedIn }
        let uid: ID = try row["uid"]
        let refusal: Profile.MailRefusal? = try (row["refused_since"] as Instant?).map { since in
            .init(since: since, reply: try row["refused_with"])
        }
        let quiet: Profile.QuietHours? = try (row["quiet_from"] as TimeOfDay?).map { from in
            .init(from: from, to: try row["quiet_to"])
        }
        let person = Profile.Person(
            uid: uid, email: try row["email"], newEmail: try row["new_email"], mailRefused: refusal,
            nickname: try row["nickname"], locale: try row["locale"],
            studyClock: .init(timeZone: try row["time_zone"], dayStartsAt: try row["day_starts_at"]),
            dailyGoalSeconds: try row["daily_goal_seconds"], theme: try row["theme"],
            globalBoard: try row["global_board"], defaultTimerSeconds: try row["default_timer_seconds"],
            quietHours: quiet, avatarUrl: AvatarURL(of: uid, version: try row["avatar"]),
            createdAt: try row["created_at"],
            leavesAt: try row["leaves_at"], siteAdmin: try row["is_site_admin"])
        let switches = zip(Switch.allCases, try row["switches", as: [Bool].self])
        return Profile(person: person, switches: Dictionary(uniqueKeysWithValues: switches))
    }
}

extension ProfileChange {
    /// Whether it sets one of the columns that need only a plain `UPDATE`.
    fileprivate var touchesPlainColumns: Bool {
        nickname != nil || locale != nil || theme != nil || defaultTimerSeconds != nil
    }
}
