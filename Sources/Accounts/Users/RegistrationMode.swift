import Postgres

/// Who may register (`ANTHILL_REGISTRATION`).
package enum RegistrationMode: String, Encodable, Sendable, CaseIterable {
    /// Everybody.
    case open
    /// People with a working invitation, to a group or to the service.
    case invitation
    /// Nobody, unless the operator hands them a link.
    case closed
}

/// What everybody may know of registration.
struct RegistrationTerms: Encodable, Sendable {
    let mode: RegistrationMode
    /// Whether the service sends mail; without mail, the operator hands links over.
    let sendsMail: Bool
    /// The page to register on.
    let url: String
}

/// What a registration brings along until the account is made.
struct RegistrationTicket: Sendable {
    var invitation: ID?
    /// The operator handed the link over, so the mode of registration does not matter.
    var isFromOperator = false
}
