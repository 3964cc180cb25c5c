import API
import HTTP
import Postgres
import Time

/// Something a person did, or that was done to them. It names nobody else.
struct Activity: Encodable, Sendable {
    let at: Instant
    /// Such as `signed_in`.
    let kind: String
    /// Whether they did it themselves, as far as is known.
    let byMe: Bool
    /// Whether it was done to them.
    let aboutMe: Bool
    /// From where; `null` for what others did, and for what the service did itself.
    @OrNull var clientAddress: String?
    /// The name of the group that it happened in.
    @OrNull var group: String?
    /// Details of this kind of event.
    let details: JSON
}

/// A person's own part of the audit.
struct ActivityStore: Sendable {
    let database: Database

    /// The latest first.
    func list(of uid: ID, _ paging: Paging) async throws -> Page<Activity> {
        let after = try paging.instantAndID()
        let rows = try await database.read(
            "SELECT * FROM own_activity(\(uid), \(after?.instant), \(after?.id), \(paging.limit + 1))")
        return try Page(rows, paging, by: "at", "id") { row in
            let details: String = try row["details"]
            return Activity(
                at: try row["at"], kind: try row["kind"], byMe: try row["by_me"], aboutMe: try row["about_me"],
                clientAddress: try row["client"], group: try row["group_name"],
                details: JSON(text: Array(details.utf8)) ?? .null)
        }
    }
}
