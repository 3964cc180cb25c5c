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
        emails.letters.and([
            .registration: registration, .passwordReset: passwordReset, .passwordChanged: passwordChanged,
            .emailReturned: passwordReset, .mailTest: mailTest,
            .identityLinked: { try await notice($0, texts.identityLinked) },
            .identityUnlinked: { try await notice($0, texts.identityUnlinked) },
        ])
    }

    private func registration(_ item: OutboxItem) async throws -> Composition? {
        guard let email = item.address, let to = Mailbox(address: email.written) else { return nil }
        if let user = try await users.find(email) {
            guard let to = Mailbox(of: user.nickname, at: user.email.written) else { return nil }
            return Composition(texts.alreadyRegistered(to: to, language: user.locale))
        }
        if let notice = try await emails.notice(to: email) { return notice }
        // Somebody who may not sign in: nothing helps them here.
        guard try await !users.isTaken(email) else { return nil }
        let token = Token()
        let inviter = try await users.inviter(of: item.ticket)
        return Composition(
            texts.registration(to: to, token: token.text, from: inviter, language: item.language),
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
        try await owner(of: item).map { Composition(texts.mailTest(to: $0, language: item.language)) }
    }

    private func passwordChanged(_ item: OutboxItem) async throws -> Composition? {
        try await owner(of: item).map { Composition(texts.passwordChanged(to: $0, language: item.language)) }
    }

    /// Whom the mail is to, by their nickname if they may sign in.
    private func owner(of item: OutboxItem) async throws -> Mailbox? {
        var user: Credentials?
        if let email = item.address { user = try await users.find(email) }
        return Mailbox(of: user?.nickname ?? "", at: item.to)
    }

    /// That something was done with an account at a provider.
    private func notice(
        _ item: OutboxItem, _ text: (Mailbox, _ provider: String, Language) -> Message
    ) async throws -> Composition? {
        guard let to = try await owner(of: item), let provider = item.parameters["provider"] else { return nil }
        return Composition(text(to, provider, item.language))
    }
}

extension MailKind {
    static let registration = MailKind(rawValue: "registration")
    static let passwordReset = MailKind(rawValue: "password_reset")
    static let passwordChanged = MailKind(rawValue: "password_changed")
    static let mailTest = MailKind(rawValue: "mail_test")
    static let identityLinked = MailKind(rawValue: "identity_linked")
    static let identityUnlinked = MailKind(rawValue: "identity_unlinked")
}

extension Outbox {
    /// Tells somebody what was done with their account at the provider of this name.
    static func notice(_ kind: MailKind, to user: Credentials, provider: String) -> Query {
        tell(kind, to: user.email.written, ["locale": user.locale.rawValue, "provider": provider])
    }
}

extension OutboxItem {
    /// The parameter of a registration for which a site admin asked.
    static let isFromOperator = "from_operator"

    /// The invitation that came with the registration, or that it needs none.
    fileprivate var ticket: RegistrationTicket {
        RegistrationTicket(
            invitation: parameters["invitation"].flatMap(ID.init),
            isFromOperator: parameters[Self.isFromOperator] != nil)
    }
}
