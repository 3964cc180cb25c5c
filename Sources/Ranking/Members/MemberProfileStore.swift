import API
import Accounts
import Postgres
import Time

/// What members see of one another, from the database.
struct MemberProfileStore: Sendable {
    let database: Database

    /// Throws `not_found` if the member is not in the group, or hides there.
    func profile(of member: ID, in group: ID, for reader: ID) async throws -> MemberProfile {
        let rows = try await database.read("SELECT * FROM member_profile(\(reader), \(group), \(member))")
        guard let row = rows.first else { throw Refusal.ranking.memberNotFound }
        let today: Day? = try row["today"]
        return MemberProfile(
            uid: member, nickname: try row["nickname"], avatarURL: AvatarURL(of: member, version: try row["avatar"]),
            role: try row["role"], joinedAt: try row["joined_at"], today: today,
            months: today == nil ? [] : try await months(of: member, and: reader, in: group))
    }

    private func months(of member: ID, and reader: ID, in group: ID) async throws -> [MemberProfile.Month] {
        try await database.read("SELECT * FROM months_of_both(\(reader), \(group), \(member))").map { row in
            let month: Day = try row["month"]
            return MemberProfile.Month(
                month: month.monthText, yours: .init(rank: try row["my_rank"], seconds: try row["my_seconds"]),
                theirs: .init(rank: try row["their_rank"], seconds: try row["their_seconds"]))
        }
    }

    /// A whole month of their own calendar, as the API sends it; nil for the one that their today is in. Throws
    /// `not_found`, and `days_not_shown`.
    func month(_ firstDay: Day?, of member: ID, in group: ID, for reader: ID) async throws -> [UInt8] {
        try await Refusal.ranking.mapConstraints {
            try await database.read(
                "SELECT member_month(\(reader), \(group), \(member), \(firstDay)) AS month"
            ).one.json("month")
        }
    }
}
