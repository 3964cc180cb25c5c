import Postgres
import Time

/// Invitations to the service, which the operator makes.
package struct ServiceInvitations: Sendable {
    private let database: Database
    private let baseURL: String

    package init(database: Database, baseURL: String) {
        self.database = database
        self.baseURL = baseURL
    }

    /// A new link, and when it ends. `uses`: how many people may use it, nil for any number. `days`: how long it works, nil
    /// for the default.
    package func make(uses: Int?, days: Int?) async throws -> (url: String, expiresAt: Instant) {
        var generator = SystemRandomNumberGenerator()
        let code = InvitationCode.random(using: &generator)
        let rows = try await database.write("SELECT create_service_invitation(\(code), \(uses), \(days))")
        return (InvitationCode.link(code, baseURL), try rows[0].decode(Instant.self))
    }

    /// Ends all that still work, and answers how many those were.
    package func endAll() async throws -> Int {
        try await database.write("SELECT end_service_invitations()").one.decode(Int.self)
    }
}
