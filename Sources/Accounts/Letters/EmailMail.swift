import HTTP
import Mail
import Postgres

/// Composes the mails about addresses; like ``AccountsMail`` it looks everything up when a mail is about to be sent.
struct EmailMail: Sendable {
    private let users: UserStore
    private let changes: EmailChangeStore
    private let tokens: TokenStore
    private let texts: AccountLetters

    init(database: Database, secret: Secret, baseURL: String) {
        users = UserStore(database: database)
        changes = EmailChangeStore(database: database)
        tokens = TokenStore(database: database, secret: secret)
        texts = AccountLetters(baseURL: baseURL)
    }

    var letters: [MailKind: Composer] {
        [.emailChange: change, .emailChangeNotice: notice, .emailReminder: reminder]
    }

    private func change(_ item: OutboxItem) async throws -> Composition? {
        guard let uid = item.parameters["uid"].flatMap(ID.init), let email = item.address,
            let to = Mailbox(address: email.written), let waiting = try await changes.waiting(uid, for: email)
        else { return nil }
        guard !waiting.isTaken else {
            let owner = try await users.find(email)
            return Composition(texts.emailTaken(to: to, language: owner?.locale ?? item.language))
        }
        let token = Token()
        return Composition(
            texts.emailChange(to: to, token: token.text, language: waiting.locale),
            commit: tokens.issue(token, .emailChange, to: email, uid: uid, epoch: waiting.epoch))
    }

    private func notice(_ item: OutboxItem) async throws -> Composition? {
        guard let email = item.address else { return nil }
        return try await notice(to: email, byOperator: item.parameters["by"] == "operator")
    }

    /// To somebody who may take this address back; nil if nobody may. It is also what they get when they write from it.
    func notice(to email: EmailAddress, byOperator: Bool = false) async throws -> Composition? {
        guard let claim = try await changes.claim(on: email), let to = Mailbox(address: claim.old.written) else {
            return nil
        }
        let token = Token()
        return Composition(
            texts.emailChangeNotice(
                to: to, new: claim.new, byOperator: byOperator, token: token.text, language: claim.locale),
            commit: tokens.issue(token, .emailReturn, to: claim.old, uid: claim.uid))
    }

    private func reminder(_ item: OutboxItem) async throws -> Composition? {
        try await composition(for: item) { user, to in
            Composition(texts.emailReminder(to: to, nickname: user.nickname, language: user.locale))
        }
    }

    /// A mail to the user with this address. If nobody has it, it gets the notice, or else that it has no account.
    func composition(
        for item: OutboxItem, _ compose: (Credentials, Mailbox) -> Composition
    ) async throws -> Composition? {
        guard let email = item.address, let to = Mailbox(address: email.written) else { return nil }
        guard let user = try await users.find(email) else {
            return try await notice(to: email) ?? Composition(texts.noAccount(to: to, language: item.language))
        }
        return Mailbox(of: user.nickname, at: user.email.written).map { compose(user, $0) }
    }
}

extension MailKind {
    static let emailChange = MailKind(rawValue: "email_change")
    static let emailChangeNotice = MailKind(rawValue: "email_change_notice")
    /// A link to choose a password after an address was taken back. It has a count of its own: others can ask for resets
    /// until no more are sent, but not for this.
    static let emailReturned = MailKind(rawValue: "email_returned")
    static let emailReminder = MailKind(rawValue: "email_reminder")
}

extension OutboxItem {
    /// As it was written, where that was kept; the outbox counts by the canonical form.
    var address: EmailAddress? { EmailAddress(parameters["written"] ?? to) }
    var language: Language { parameters["locale"].flatMap(Language.init(rawValue:)) ?? .en }
}
