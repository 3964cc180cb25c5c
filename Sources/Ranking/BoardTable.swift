import HTTP
import Postgres
import Study

/// A whole board as comma-separated values, for spreadsheets: one line for each place.
struct BoardTable: Sendable {
    let boards: BoardStore

    /// The name of a file for it, and its text. Throws `not_found` and `future_period`.
    func csv(
        of group: ID, _ period: Period, _ order: Leaderboard.Order, for reader: ID
    ) async throws -> (name: String, text: String) {
        let whole = try await boards.whole(
            .init(group: group, order: order, length: period.length, firstDay: period.firstDay), for: reader)
        let efforts = order == .seconds ? [] : ["goal_permille", "days_met", "days"]
        var text = CSV.line(["rank", "nickname", "uid", "seconds", "time", "manual_seconds", "change"] + efforts)
        for entry in whole.entries(for: reader) { text += CSV.line(cells(entry, days: whole.days)) }
        return ("board-\(period.length.name(whole.frame.firstDay)).csv", text)
    }

    /// Of who hides there is nothing but the place.
    private func cells(_ entry: Leaderboard.Entry, days: Int?) -> [String] {
        guard let member = entry.member else {
            return ["\(entry.rank)", "", "", "", "", "", ""] + (days == nil ? [] : ["", "", ""])
        }
        let efforts = member.effort.map { ["\($0.goalPermille)", "\($0.daysMet)", days.map { "\($0)" } ?? ""] }
        return [
            "\(member.rank)", member.nickname ?? "", member.uid?.description ?? "", "\(member.seconds)",
            Self.time(member.seconds), "\(member.manualSeconds)", member.change.map { "\($0)" } ?? "",
        ] + (efforts ?? [])
    }

    /// `117:08:05`.
    private static func time(_ seconds: Int) -> String {
        let (minutes, rest) = (seconds / 60 % 60, seconds % 60)
        return "\(seconds / 3600):\(minutes < 10 ? "0" : "")\(minutes):\(rest < 10 ? "0" : "")\(rest)"
    }
}
