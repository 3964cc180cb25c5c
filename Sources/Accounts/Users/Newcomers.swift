import API
import HTTP
import Postgres

/// The one door for new accounts: it decides who may come, and makes every account.
struct Newcomers: Sendable {
    let database: Database
    let users: UserStore
    let mode: RegistrationMode

    /// The group that a new account was invited to.
    struct InvitedGroup: Encodable, Sendable {
        /// `null` if the newcomer did not get in: the invitation ended before the account was made, or the group is full.
        @OrNull var id: ID?
        let joined: Bool
    }

    /// The ticket of somebody who asks for an account, perhaps with an invitation's code. Throws
    /// ``AccountsRefusals/registrationClosed`` and ``AccountsRefusals/invitationRequired``.
    func ticket(withCode code: String?) async throws -> RegistrationTicket {
        if mode == .closed { throw Refusal.accounts.registrationClosed }
        var found: (invitation: ID, works: Bool)?
        if let code {
            found = try await database.read("SELECT invitation_id, works FROM invitation_of(\(code))")
                .first?.decode(ID.self, Bool.self)
        }
        if mode == .invitation, found?.works != true { throw Refusal.accounts.invitationRequired }
        return RegistrationTicket(invitation: found?.invitation)
    }

    /// Makes an account in the caller's transaction, and answers which group it was invited to. Throws
    /// ``AccountsRefusals/registrationClosed``, ``AccountsRefusals/invitationRequired`` and
    /// ``AccountsRefusals/tokenUsedOrExpired``.
    func create(
        _ user: Credentials, timeZone: String?, _ ticket: RegistrationTicket
    ) async throws -> InvitedGroup? {
        if mode == .closed, !ticket.isFromOperator { throw Refusal.accounts.registrationClosed }
        try await users.create(user, timeZone: timeZone)
        let isRequired = mode == .invitation && !ticket.isFromOperator
        guard ticket.invitation != nil || isRequired else { return nil }
        return try await Refusal.accounts.mapConstraints {
            let rows = try await database.write(
                "SELECT to_group, joined FROM welcome_newcomer(\(user.uid), \(ticket.invitation), \(isRequired))")
            let (isToGroup, joined) = try rows[0].decode(Bool.self, ID?.self)
            return isToGroup ? InvitedGroup(id: joined, joined: joined != nil) : nil
        }
    }
}
