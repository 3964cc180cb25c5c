import API
import HTTP
import Mail
import Pictures
import Postgres
import Reactor

/// Who somebody is: registration, passwords, sign-ins and the profile.
package struct AccountsFeature: Feature {
    package let routes: [Endpoint]
    package let chores: [Chore]
    package let letters: [MailKind: Composer]

    /// `baseURL` is where links in mails lead. `mailWaits` is called after a mail was put into the outbox, unless the
    /// service sends no mail. Throws when the list of common passwords is missing.
    package init(
        database: Database, secret: Secret, gate: Gate, hasher: PasswordHasher, pictures: PictureMaker,
        limits: Limits = Limits(), baseURL: String, registration mode: RegistrationMode = .open, sendsMail: Bool = true,
        mailWaits: @escaping @Sendable () -> Void
    ) throws {
        let users = UserStore(database: database)
        let signIns = SignInStore(database: database, secret: secret)
        let profiles = ProfileStore(database: database)
        let tokens = TokenStore(database: database, secret: secret)
        let limits = LimitsStore(database: database, secret: secret, limits: limits)
        let policy = try PasswordPolicy.standard()
        let proof = PasswordProof(database: database, limits: limits, hasher: hasher)
        let registration = RegistrationRoutes(
            gate: gate, database: database, newcomers: Newcomers(database: database, users: users, mode: mode),
            signIns: signIns, profiles: profiles, tokens: tokens, limits: limits, policy: policy, hasher: hasher,
            terms: RegistrationTerms(mode: mode, sendsMail: sendsMail, url: "\(baseURL)/register"),
            mailWaits: mailWaits)
        let signIn = SignInRoutes(
            gate: gate, database: database, users: users, signIns: signIns, profiles: profiles, limits: limits,
            hasher: hasher)
        let password = PasswordRoutes(
            gate: gate, database: database, users: users, signIns: signIns, tokens: tokens, limits: limits,
            policy: policy, hasher: hasher, proof: proof, sendsMail: sendsMail, mailWaits: mailWaits)
        let email = EmailRoutes(
            gate: gate, database: database, users: users, changes: EmailChangeStore(database: database),
            signIns: signIns, tokens: tokens, limits: limits, proof: proof, sendsMail: sendsMail, mailWaits: mailWaits)
        let profile = ProfileRoutes(gate: gate, profiles: profiles)
        let activity = ActivityRoutes(gate: gate, activities: ActivityStore(database: database))
        let mail = MailRoutes(
            gate: gate, database: database, users: users, optOuts: OptOuts(secret: secret, baseURL: baseURL),
            sendsMail: sendsMail, mailWaits: mailWaits)
        let avatar = AvatarRoutes(
            gate: gate, avatars: AvatarStore(database: database), limits: limits, pictures: pictures)
        routes =
            registration.routes + signIn.routes + password.routes + email.routes + profile.routes + activity.routes
            + mail.routes + avatar.routes
        chores = [.removeExpired(database)]
        letters = AccountsMail(database: database, secret: secret, baseURL: baseURL).letters
    }
}

extension Chore {
    /// Removes sign-ins, tokens, changes of address, limits and idempotency keys that have expired.
    static func removeExpired(_ database: Database) -> Chore {
        Chore("remove expired sign-ins, tokens and limits", every: .seconds(3600)) {
            let statements: [Query] = [
                "DELETE FROM sign_ins WHERE expires_at <= anthill_clock()",
                "DELETE FROM auth_tokens WHERE expires_at <= anthill_clock() - interval '30 days'",
                "DELETE FROM email_changes WHERE asked_at <= anthill_clock() - interval '24 hours'",
                "DELETE FROM former_emails WHERE held_until <= anthill_clock()",
                "DELETE FROM rate_limits WHERE expires_at <= anthill_clock()",
                "DELETE FROM idempotency_keys WHERE created_at <= anthill_clock() - interval '24 hours'",
            ]
            for statement in statements { try await database.write(statement) }
        }
    }
}
