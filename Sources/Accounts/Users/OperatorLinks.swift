import Mail
import Postgres

/// Links that the operator makes and hands over, where no mail can.
package struct OperatorLinks: Sendable {
    /// A new link and how long it works.
    package enum Link: Sendable {
        case registration(url: String, seconds: Int)
        case passwordReset(url: String, seconds: Int)
    }

    package enum Failure: Error, CustomStringConvertible {
        case notAnAddress, mayNotSignIn

        package var description: String {
            switch self {
            case .notAnAddress: "that is not an email address"
            case .mayNotSignIn: "the account of this address may not sign in"
            }
        }
    }

    private let database: Database
    private let users: UserStore
    private let tokens: TokenStore
    private let baseURL: String

    package init(database: Database, secret: Secret, baseURL: String) {
        self.database = database
        users = UserStore(database: database)
        tokens = TokenStore(database: database, secret: secret)
        self.baseURL = baseURL
    }

    /// A link to choose a new password if the address has an account, otherwise one to register. Throws ``Failure``.
    package func link(for address: String) async throws -> Link {
        guard let email = EmailAddress(address) else { throw Failure.notAnAddress }
        let token = Token()
        if let user = try await users.find(email) {
            try await keep(
                tokens.issue(token, .passwordReset, to: user.email, uid: user.uid, epoch: user.epoch), of: user.uid)
            return .passwordReset(
                url: AccountLinks(baseURL).newPassword(token.text), seconds: TokenStore.Purpose.passwordReset.life)
        }
        guard try await !users.isTaken(email) else { throw Failure.mayNotSignIn }
        let ticket = RegistrationTicket(isFromOperator: true)
        try await keep(tokens.issue(token, .registration, to: email, ticket: ticket), of: nil)
        return .registration(
            url: AccountLinks(baseURL).welcome(token.text), seconds: TokenStore.Purpose.registration.life)
    }

    /// Keeps the token and that the operator made a link.
    private func keep(_ token: [Query], of uid: ID?) async throws {
        _ = try await database.transaction {
            try await database.write(token + [AuditEvent(.linkMade, of: uid, by: nil, nil).query])
        }
    }
}
