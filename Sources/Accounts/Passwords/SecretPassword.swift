import Foundation
import Postgres

/// A password derived from the service's secret, for an account that nobody registered: the operator can be told it at
/// any time, and nobody else can guess it.
package struct SecretPassword: Sendable {
    private let database: Database
    private let users: UserStore
    private let secret: Secret
    private let hasher: PasswordHasher

    package init(database: Database, secret: Secret, hasher: PasswordHasher) {
        self.database = database
        users = UserStore(database: database)
        self.secret = secret
        self.hasher = hasher
    }

    /// No account with this address may sign in.
    package struct Nobody: Error {}

    /// The password of the account with this address. Any other password is replaced by it, as after a reset.
    package func of(_ address: String) async throws -> String {
        guard let email = EmailAddress(address), let user = try await users.find(email) else { throw Nobody() }
        let digits = secret.mac(.password, Array(email.canonical.utf8)).prefix(10).map { String(format: "%02x", $0) }
        let password = stride(from: 0, to: 10, by: 2).map { digits[$0] + digits[$0 + 1] }.joined(separator: "-")
        if try await hasher.verify(Password(password), against: user.hash) == .wrong {
            let hash = try await hasher.hash(Password(password))
            try await database.transaction {
                guard try await users.setPassword(of: user, to: hash) else { throw Nobody() }
                _ = try await database.write(AuditEvent(.passwordReset, of: user.uid, by: nil, nil).query)
            }
        }
        return password
    }
}
