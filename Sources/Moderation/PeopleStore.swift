import API
import Accounts
import HTTP
import Postgres
import Time

/// What site admins see of a user.
struct FoundPerson: Sendable, Encodable {
    let uid: ID
    let nickname: String
    /// nil for somebody who signs in through a provider that told none.
    @OrNull var email: String?
    let createdAt: Instant
    /// `active` or `suspended`: whether the account may be used at all.
    let status: String
    @OrNull var leavesAt: Instant?
    /// When one of their devices was last seen; nil when they are signed in nowhere.
    @OrNull var lastSeenAt: Instant?
    let groupCount: Int
    /// How many reports there are about them.
    let reportCount: Int
    let siteAdmin: Bool
    /// nil unless they are suspended from the service's boards.
    @OrNull var suspendedUntil: Instant?
}

/// Looking for users.
struct PeopleStore: Sendable {
    let database: Database
    static let most = 50

    /// Those with this UID or address, or whose nickname begins so; at most fifty.
    func find(_ sought: String, for admin: ID) async throws -> [FoundPerson] {
        let sought = EmailAddress(sought)?.canonical ?? sought
        return try await database.read("SELECT * FROM found_people(\(admin), \(sought), \(Self.most))").map { row in
            FoundPerson(
                uid: try row["uid"], nickname: try row["nickname"], email: try row["email"],
                createdAt: try row["created_at"], status: try row["status"], leavesAt: try row["leaves_at"],
                lastSeenAt: try row["last_seen_at"], groupCount: try row["group_count"],
                reportCount: try row["report_count"], siteAdmin: try row["is_site_admin"],
                suspendedUntil: try row["suspended_until"])
        }
    }
}
