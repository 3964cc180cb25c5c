import Foundation
import HTTP
import Postgres
import Study

/// A whole board as comma-separated values, for spreadsheets: one line for each entry that the reader may see.
struct BoardTable: Sendable {
    let database: Database

    /// The name of a file for it, and its text. Throws `not_found` and `future_period`.
    func csv(
        of group: UUID, _ period: Period, _ order: Leaderboard.Order, for reader: UUID
    ) async throws -> (name: String, text: String) {
        async let frame = BoardFrame(of: group, period.length, period.firstDay, for: reader, in: database)
        async let rows = database.read(
            """
            SELECT rank, uid, nickname, seconds, manual_seconds, change, goal_permille, days_met, days
            FROM board(\(reader), \(group), \(period.length.rawValue), \(period.firstDay), NULL, NULL, NULL, 5000,
              sorting => \(order.rawValue))
            WHERE section = 'top'
            """)
        let heading = try await frame
        let entries = try await rows.decode(
            Int.self, UUID.self, String.self, Int.self, Int.self, Int?.self, Int?.self, Int?.self, Int?.self)
        let efforts = order == .seconds ? [] : ["goal_permille", "days_met", "days"]
        var text = CSV.line(["rank", "nickname", "uid", "seconds", "time", "manual_seconds", "change"] + efforts)
        for (rank, uid, nickname, seconds, manual, change, permille, met, days) in entries {
            text += CSV.line(
                [
                    "\(rank)", nickname, uid.uuidString.lowercased(), "\(seconds)", Self.time(seconds), "\(manual)",
                    change.map { "\($0)" } ?? "",
                ] + [permille, met, days].compactMap { $0.map { "\($0)" } })
        }
        return ("board-\(period.length.name(heading.firstDay)).csv", text)
    }

    /// `117:08:05`.
    private static func time(_ seconds: Int) -> String {
        let (minutes, rest) = (seconds / 60 % 60, seconds % 60)
        return "\(seconds / 3600):\(minutes < 10 ? "0" : "")\(minutes):\(rest < 10 ? "0" : "")\(rest)"
    }
}
