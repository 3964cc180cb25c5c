import Postgres

/// Removes what has run out and nobody asks for any more.
package struct AccountsCleaning: Sendable {
    private let database: Database

    package init(database: Database) { self.database = database }

    /// Once; to be called every hour or so, by as many instances as there are.
    package func run() async throws {
        let statements: [Query] = [
            "DELETE FROM sign_ins WHERE expires_at <= anthill_clock()",
            "DELETE FROM auth_tokens WHERE expires_at <= anthill_clock() - interval '30 days'",
            "DELETE FROM rate_limits WHERE expires_at <= anthill_clock()",
            "DELETE FROM idempotency_keys WHERE created_at <= anthill_clock() - interval '24 hours'",
        ]
        for statement in statements { _ = try await database.write(statement) }
    }
}
