import API
import HTTP
import Postgres

/// What members do together in a group, in the database: its notice, its cycle and cheers.
struct LifeStore: Sendable {
    let database: Database

    /// Writes the group's notice, or takes it away; admins only.
    func setNotice(_ text: String?, of group: ID, by actor: ID) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write("SELECT set_notice(\(actor), \(group), \(text))")
        }
    }

    /// Sets the cycle that the group studies in, or ends it; admins only.
    func setCycle(_ cycle: WantedCycle?, of group: ID, by actor: ID) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write(
                """
                SELECT set_cycle(\(actor), \(group), \(cycle?.studyMinutes), \(cycle?.restMinutes), \(cycle?.minute))
                """)
        }
    }

    /// Cheers another member; throws `already_cheered`, `too_many_cheers` and `not_yourself`.
    func cheer(_ member: ID, in group: ID, by giver: ID) async throws {
        try await Refusal.groups.mapConstraints {
            _ = try await database.write("SELECT give_cheer(\(giver), \(group), \(member))")
        }
    }
}

/// Minutes of study and of rest in turn; a time of study begins at this minute of the hour.
struct WantedCycle: Sendable {
    static let names = ["study_minutes", "rest_minutes", "minute"]

    let studyMinutes: Int
    let restMinutes: Int
    let minute: Int

    init(_ fields: Fields) throws {
        studyMinutes = try fields.int("study_minutes")
        restMinutes = try fields.int("rest_minutes")
        minute = try fields.int("minute")
        let (day, invalid) = (24 * 60, Refusal.groups.invalidCycle)
        guard (1..<day).contains(studyMinutes) else { throw invalid.at("study_minutes") }
        guard (1...day - studyMinutes).contains(restMinutes) else { throw invalid.at("rest_minutes") }
        guard (0...59).contains(minute) else { throw Refusal.groups.invalidMinute }
    }
}
