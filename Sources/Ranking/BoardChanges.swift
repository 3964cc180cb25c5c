import API
import Groups
import Postgres
import Time

/// What happened to boards, as the database tells it. Time here is the database's, order is that of its snapshots.
struct BoardChanges: Sendable {
    let database: Database

    /// A point in the history of a group's board.
    struct Moment: Sendable {
        let time: Instant
        /// Since when the clock alone has changed nothing: a study day and a suspension end without anybody's writing.
        let dayBeganAt: Instant
        /// When the study day ends.
        let dayEndsAt: Instant
        let version: BoardVersion
        /// Whether the board may have changed since the version that was asked about.
        let hasChanged: Bool
    }

    /// Now, seen from a version that a reader has.
    func moment(of group: ID, since version: BoardVersion?) async throws -> Moment {
        let rows = try await database.read(
            """
            SELECT server_time, day_began_at, day_ends_at, snapshot, changed
            FROM board_moment(\(group), \(version?.snapshot)::text::pg_snapshot)
            """)
        let (time, began, ends, snapshot, changed) = try rows[0].decode(
            Instant.self, Instant?.self, Instant?.self, String.self, Bool.self)
        guard let began, let ends else { throw Refusal.ranking.groupNotFound }
        let isKnown = version.map { $0.isKnown(at: time) && $0.time >= began } ?? false
        return Moment(
            time: time, dayBeganAt: began, dayEndsAt: ends,
            version: BoardVersion(time: time, snapshot: snapshot), hasChanged: changed || !isKnown)
    }

    /// The groups whose boards changed after that version, and the version to ask with next.
    func since(_ seen: BoardVersion) async throws -> (version: BoardVersion, groups: Set<ID>) {
        let rows = try await database.read(
            """
            SELECT anthill_clock(), pg_current_snapshot()::text, c.group_id
            FROM (SELECT 1) one LEFT JOIN boards_changed(\(seen.snapshot)::text::pg_snapshot, \(seen.time)) c ON true
            """)
        let lines = try rows.decode(Instant.self, String.self, ID?.self)
        return (BoardVersion(time: lines[0].0, snapshot: lines[0].1), Set(lines.compactMap(\.2)))
    }

    /// Which of these, by their place in the list, may watch no longer: their sign-in has ended or they left the group.
    func lost(_ watchers: [(reader: ID, signIn: ID, group: ID)]) async throws -> [Int] {
        func list(_ ids: [ID]) -> String { "{" + ids.map(\.description).joined(separator: ",") + "}" }
        let rows = try await database.read(
            """
            SELECT w.place::integer
            FROM unnest(\(list(watchers.map(\.reader)))::text::uuid[], \(list(watchers.map(\.signIn)))::text::uuid[],
              \(list(watchers.map(\.group)))::text::uuid[]) WITH ORDINALITY w (uid, sign_in, group_id, place)
            WHERE NOT EXISTS (
              SELECT FROM group_members m JOIN users u USING (uid) JOIN sign_ins s USING (uid, auth_epoch)
              WHERE m.uid = w.uid AND m.group_id = w.group_id AND s.id = w.sign_in AND u.status = 'active'
                AND s.expires_at > anthill_clock())
            """)
        return try rows.decode(Int.self).map { $0 - 1 }
    }
}

/// The id of an event: all that this snapshot sees is in it. A minute later it says nothing any more.
struct BoardVersion: Sendable, LosslessStringConvertible {
    let time: Instant
    let snapshot: String

    init(time: Instant, snapshot: String) {
        self.time = time
        self.snapshot = snapshot
    }

    /// Nil for what PostgreSQL would not take for a snapshot either: `xmin:xmax:` and, in their order, those under way.
    init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let seconds = UInt32(parts[0]) else { return nil }
        let numbers = parts[1].split(separator: ":", omittingEmptySubsequences: false)
        guard numbers.count == 3, let first = Int(numbers[0]), let end = Int(numbers[1]), 0 < first, first <= end
        else { return nil }
        var last = first - 1
        for text in numbers[2].split(separator: ",", omittingEmptySubsequences: numbers[2].isEmpty) {
            guard let number = Int(text), last < number, number < end else { return nil }
            last = number
        }
        self.init(time: Instant(secondsSince1970: Int(seconds)), snapshot: String(parts[1]))
    }

    var description: String { "\(time.secondsSince1970)-\(snapshot)" }

    func isKnown(at now: Instant) -> Bool { (0..<60).contains(now - time) }
}
