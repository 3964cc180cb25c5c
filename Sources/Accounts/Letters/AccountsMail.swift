import HTTP
import Mail
import Postgres

/// Finds out, when a mail is about to be sent, what it says: only now is the address looked up and the token made.
struct AccountsMail: Sendable {
    private let users: UserStore
    private let tokens: TokenStore
    private let emails: EmailMail
    private let texts: AccountLetters

    init(database: Database, secret: Secret, baseURL: String) {
        users = UserStore(database: database)
        tokens = TokenStore(database: database, secret: secret)
        emails = EmailMail(database: database, secret: secret, baseURL: baseURL)
        texts = AccountLetters(baseURL: baseURL)
    }

    var letters: [MailKind: Composer] {
        emails.letters.merging(
            [
                .registration: registration, .passwordReset: passwordReset, .passwordChanged: passwordChanged,
                .emailReturned: passwordReset, .mailTest: mailTest,
            ]
        ) { first, _ in first }
    }

    private func registration(_ item: OutboxItem) async throws -> Composition? {
        guard let email = item.address, let to = Mailbox(address: email.written) else { return nil }
        if let user = try await users.find(email) {
            guard let to = Mailbox(address: user.email.written) else { return nil }
            return Composition(texts.alreadyRegistered(to: to, language: user.locale))
        }
        if let notice = try await emails.notice(to: email) { return notice }
        // Somebody who may not sign in: nothing helps them here.
        guard try await !users.isTaken(email) else { return nil }
        let token = Token()
        return Composition(
            texts.registration(to: to, token: token.text, language: item.language),
            commit: tokens.issue(token, .registration, to: email, ticket: item.ticket))
    }

    private func passwordReset(_ item: OutboxItem) async throws -> Composition? {
        try await emails.composition(for: item) { user, to in
            let token = Token()
            return Composition(
                texts.passwordReset(to: to, token: token.text, language: user.locale),
                commit: tokens.issue(token, .passwordReset, to: user.email, uid: user.uid, epoch: user.epoch))
        }
    }

    private func mailTest(_ item: OutboxItem) async throws -> Composition? {
        Mailbox(address: item.to).map { Composition(texts.mailTest(to: $0, language: item.language)) }
    }

    private func passwordChanged(_ item: OutboxItem) async throws -> Composition? {
        Mailbox(address: item.to).map { Composition(texts.passwordChanged(to: $0, language: item.language)) }
    }
}

extension MailKind {
    static let registration = MailKind(rawValue: "registration")
    static let passwordReset = MailKind(rawValue: "password_reset")
    static let passwordChanged = MailKind(rawValue: "password_changed")
    static let mailTest = MailKind(rawValue: "mail_test")
}

extension OutboxItem {
    /// The invitation that came with the registration.
    fileprivate var ticket: RegistrationTicket {
        RegistrationTicket(invitation: parameters["invitation"].flatMap(ID.init))
    }
}
