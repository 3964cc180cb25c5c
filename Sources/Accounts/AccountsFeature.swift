import API
import HTTP
import Mail
import Outgoing
import Pictures
import Postgres
import Reactor

/// Who somebody is: registration, passwords, sign-ins and the profile.
package struct AccountsFeature: Feature {
    package let routes: [Endpoint]
    package let chores: [Chore]
    package let letters: [MailKind: Composer]

    /// `baseURL` is where links in mails lead, and where providers send people back to. `providerFailed` is told why a
    /// provider could not be asked or was not believed. Throws when the list of common passwords is missing.
    package init(
        database: Database, secret: Secret, gate: Gate, hasher: PasswordHasher, pictures: PictureMaker,
        limits: Limits = Limits(), baseURL: String, registration mode: RegistrationMode = .open, sendsMail: Bool = true,
        providers: [Provider] = [], providerFailed: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        let users = UserStore(database: database)
        let signIns = SignInStore(database: database, secret: secret)
        let profiles = ProfileStore(database: database)
        let tokens = TokenStore(database: database, secret: secret)
        let limits = LimitsStore(database: database, secret: secret, limits: limits)
        let policy = try PasswordPolicy.standard()
        let tickets = TicketStore(database: database, secret: secret)
        let ticketCookie = TokenCookie.providerTicket(gate.site)
        let identities = IdentityStore(database: database)
        let confirmation = Confirmation(
            database: database, users: users, signIns: signIns, limits: limits, hasher: hasher)
        let registration = RegistrationRoutes(
            gate: gate, database: database, newcomers: Newcomers(database: database, users: users, mode: mode),
            signIns: signIns, profiles: profiles, tokens: tokens, tickets: tickets, ticketCookie: ticketCookie,
            identities: identities, limits: limits, policy: policy, hasher: hasher,
            terms: RegistrationTerms(mode: mode, sendsMail: sendsMail, url: "\(baseURL)/register"))
        let signIn = SignInRoutes(
            gate: gate, database: database, users: users, signIns: signIns, profiles: profiles, limits: limits,
            hasher: hasher, providers: providers)
        let password = PasswordRoutes(
            gate: gate, database: database, users: users, signIns: signIns, tokens: tokens, limits: limits,
            policy: policy, hasher: hasher, confirmation: confirmation, sendsMail: sendsMail)
        let email = EmailRoutes(
            gate: gate, database: database, users: users, changes: EmailChangeStore(database: database),
            signIns: signIns, tokens: tokens, limits: limits, confirmation: confirmation, sendsMail: sendsMail)
        let web = WebClient(threads: providers.isEmpty ? 0 : 4, source: .operators)
        let door = ProviderDoor(
            clients: providers.map { ProviderClient($0, baseURL: baseURL, web: web) },
            flows: FlowStore(database: database), cookie: .providerFlow(gate.site), secret: secret,
            failed: providerFailed)
        let provider = ProviderRoutes(
            gate: gate, door: door, limits: limits, tickets: tickets, ticketCookie: ticketCookie,
            arrivals: ProviderArrivals(
                database: database, door: door, users: users, identities: identities, signIns: signIns,
                tickets: tickets, cookie: gate.cookie, ticketCookie: ticketCookie))
        let identity = IdentityRoutes(
            gate: gate, database: database, door: door, identities: identities, signIns: signIns, tokens: tokens,
            limits: limits, confirmation: confirmation)
        let profile = ProfileRoutes(gate: gate, profiles: profiles)
        let keys = KeyRoutes(gate: gate, keys: KeyStore(database: database, secret: secret))
        let activity = ActivityRoutes(gate: gate, activities: ActivityStore(database: database))
        let mail = MailRoutes(
            gate: gate, database: database, users: users, optOuts: OptOuts(secret: secret, baseURL: baseURL),
            sendsMail: sendsMail)
        let avatar = AvatarRoutes(
            gate: gate, avatars: AvatarStore(database: database), limits: limits, pictures: pictures)
        let leavers = LeavingStore(database: database, limits: limits)
        let leaving = LeavingRoutes(
            gate: gate, leaving: leavers, profiles: profiles, confirmation: confirmation)
        routes =
            registration.routes + signIn.routes + password.routes + email.routes + profile.routes + activity.routes
            + keys.routes + mail.routes + avatar.routes + provider.routes + identity.routes + leaving.routes
        chores = [
            .removeExpired(database),
            Chore("erase accounts that are due", every: .seconds(5)) { try await leavers.eraseDue() },
        ]
        letters = AccountsMail(database: database, secret: secret, baseURL: baseURL).letters
            .and(LeavingMail(database: database, baseURL: baseURL).letters)
    }
}

extension Chore {
    /// Removes sign-ins, tokens, limits and whatever else has expired: `sql/functions/purge.sql`.
    static func removeExpired(_ database: Database) -> Chore {
        Chore("remove expired sign-ins, tokens and limits", every: .seconds(3600)) {
            try await database.write("SELECT FROM remove_expired()")
        }
    }
}
