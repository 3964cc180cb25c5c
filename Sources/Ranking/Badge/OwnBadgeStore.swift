import API
import Accounts
import HTTP
import Postgres
import Time

/// People's own badges in the database.
struct OwnBadgeStore: Sendable {
    let database: Database
    let secret: Secret

    struct Settings: Encodable, Sendable {
        /// When the address that works now was made; nil if there is none.
        @OrNull var madeAt: Instant?
        @OrNull var period: Period.Length?
    }

    func settings(of uid: ID) async throws -> Settings {
        guard let row = try await database.read("SELECT made_at, period FROM badge_of(\(uid))").first else {
            return Settings(madeAt: nil, period: nil)
        }
        return Settings(madeAt: try row["made_at"], period: try row["period"])
    }

    /// Makes a new address, and ends the one before.
    func make(
        _ token: Token, of period: Period.Length, for caller: Caller, from client: ClientAddress
    ) async throws {
        _ = try await Refusal.accounts.mapConstraints {
            try await database.write(
                """
                SELECT make_badge(\(caller.uid), \(caller.signIn), \(token.mac(.badge, secret)), \(period.rawValue),
                  \(client.limitKey))
                """)
        }
    }

    /// false if there is none.
    func change(to period: Period.Length, of uid: ID) async throws -> Bool {
        try await database.write("SELECT change_badge(\(uid), \(period.rawValue))").one.decode(Bool.self)
    }

    /// false if there is none.
    func end(of uid: ID, from client: ClientAddress) async throws -> Bool {
        try await database.write("SELECT end_badge(\(uid), \(client.limitKey))").one.decode(Bool.self)
    }

    /// What is behind an address; nil if it is nobody's.
    func badge(_ token: Token) async throws -> OwnBadge? {
        let rows = try await database.read(
            "SELECT nickname, period, first_day, study_seconds FROM shown_badge(\(token.mac(.badge, secret)))")
        return try rows.first.map { row in
            OwnBadge(
                nickname: try row["nickname"], period: try row["period"], firstDay: try row["first_day"],
                seconds: try row["study_seconds"])
        }
    }
}
