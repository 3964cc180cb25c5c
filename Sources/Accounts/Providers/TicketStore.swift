import API
import Postgres

/// What somebody new may open an account with: an identity that a provider has vouched for.
struct Ticket: Sendable {
    let provider: String
    let identity: ProvidedIdentity
}

/// The tickets; each works once.
struct TicketStore: Sendable {
    let database: Database
    let secret: Secret

    func issue(_ token: Token, _ ticket: Ticket) async throws {
        let identity = ticket.identity
        _ = try await database.write(
            """
            INSERT INTO provider_tickets (ticket_mac, provider, issuer, subject, email, expires_at)
            VALUES (\(token.mac(.providerTicket, secret)), \(ticket.provider), \(identity.issuer), \(identity.subject),
              \(identity.email?.written), anthill_clock() + provider_ticket_life())
            """)
    }

    /// What a live ticket is good for, without using it up; nil when it is none.
    func find(_ text: String?) async throws -> Ticket? {
        guard let token = text.flatMap(Token.init) else { return nil }
        return try await database.read(
            """
            SELECT provider, issuer, subject, email FROM provider_tickets
            WHERE ticket_mac = \(token.mac(.providerTicket, secret)) AND used_at IS NULL AND expires_at > anthill_clock()
            """
        ).first.map(Self.ticket)
    }

    /// Uses a ticket up, in the transaction of its effect; of many at once, one gets it. Throws
    /// ``AccountsRefusals/ticketUsedOrExpired``.
    func consume(_ text: String?) async throws {
        guard let token = text.flatMap(Token.init) else { throw Refusal.accounts.ticketUsedOrExpired }
        let rows = try await database.write(
            """
            UPDATE provider_tickets SET used_at = anthill_clock()
            WHERE ticket_mac = \(token.mac(.providerTicket, secret)) AND used_at IS NULL AND expires_at > anthill_clock()
            RETURNING ticket_mac
            """)
        guard !rows.isEmpty else { throw Refusal.accounts.ticketUsedOrExpired }
    }

    private static func ticket(_ row: Row) throws -> Ticket {
        let email: String? = try row["email"]
        let identity = ProvidedIdentity(
            issuer: try row["issuer"], subject: try row["subject"], email: email.flatMap(EmailAddress.init))
        return Ticket(provider: try row["provider"], identity: identity)
    }
}
