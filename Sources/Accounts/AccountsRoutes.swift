import API
import HTTP
import Postgres

/// Everything that Accounts answers.
package struct AccountsRoutes: Sendable {
    package let routes: [Endpoint]

    /// `mailWaits` is called after a mail was put into the outbox. Throws when the list of common passwords is missing.
    package init(
        database: Database, secret: Secret, gate: Gate, hasher: PasswordHasher, limits: Limits = Limits(),
        mailWaits: @escaping @Sendable () -> Void
    ) throws {
        let users = UserStore(database: database)
        let signIns = SignInStore(database: database, secret: secret)
        let profiles = ProfileStore(database: database)
        let tokens = TokenStore(database: database, secret: secret)
        let limits = LimitsStore(database: database, secret: secret, limits: limits)
        let policy = try PasswordPolicy.standard()
        let registration = RegistrationRoutes(
            gate: gate, database: database, users: users, signIns: signIns, profiles: profiles, tokens: tokens,
            limits: limits, policy: policy, hasher: hasher, mailWaits: mailWaits)
        let signIn = SignInRoutes(
            gate: gate, database: database, users: users, signIns: signIns, profiles: profiles, limits: limits,
            hasher: hasher)
        let password = PasswordRoutes(
            gate: gate, database: database, users: users, signIns: signIns, tokens: tokens, limits: limits,
            policy: policy, hasher: hasher, mailWaits: mailWaits)
        let profile = ProfileRoutes(gate: gate, profiles: profiles)
        routes = registration.routes + signIn.routes + password.routes + profile.routes
    }
}
