import API
import HTTP
import Postgres
import Time

/// A link to join a group. The code is shown once and never kept.
package struct Invitation: Sendable, Encodable {
    package let id: ID
    package let code: String
    package let url: String
    package let expiresAt: Instant
    /// `null` for no limit.
    @OrNull package var usesLeft: Int?
}

/// An invitation as a group's admins find it again: without its code.
package struct SentInvitation: Sendable, Encodable {
    package let id: ID
    package let createdBy: ID
    /// The member who made it; `null` when their account is gone.
    @OrNull package var nickname: String?
    package let createdAt: Instant
    package let expiresAt: Instant
    @OrNull package var usesLeft: Int?
    package let revoked: Bool
}

/// What anyone who has the link may know before joining.
package struct InvitationPreview: Sendable, Encodable {
    package struct Group: Sendable, Encodable {
        package let id: ID
        package let name: String
        package let description: String
        package let colour: Colour
        @OrNull package var emoji: String?
        package let memberCount: Int
        package let rules: Rules
    }

    /// `null` for an invitation to the service.
    @OrNull package var group: Group?
    package let expiresAt: Instant
    @OrNull package var usesLeft: Int?
}

/// The secret part of an invitation's link.
package enum InvitationCode {
    /// 128 random bits in base64url.
    package static func random(using generator: inout some RandomNumberGenerator) -> String {
        base64url((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// What people get to see of it.
    static func link(_ code: String, _ baseURL: String) -> String { "\(baseURL)/join/\(code)" }
}
