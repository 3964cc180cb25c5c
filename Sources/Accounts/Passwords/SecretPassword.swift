import Foundation
import Postgres

/// A password derived from the service's secret, for an account that nobody registered: the operator can be told it at
/// any time, and nobody else can guess it.
package struct SecretPassword: Sendable {
    private let users: UserStore
    private let secret: Secret
    private let hasher: PasswordHasher

    package init(database: Database, secret: Secret, hasher: PasswordHasher) {
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
            guard try await users.setPassword(of: user, to: hasher.hash(Password(password))) else { throw Nobody() }
        }
        return password
    }
}
