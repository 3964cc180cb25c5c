import Accounts
import HTTP
import Postgres
import Study

/// A whole board as comma-separated values, for spreadsheets: one line for each place.
struct BoardTable: Sendable {
    let boards: BoardStore

    /// The name of a file for it, and its text. Throws `not_found` and `future_period`.
    func csv(_ request: BoardRequest, at position: ChangeFeed.Position) async throws -> (name: String, text: String) {
        let whole = try await boards.page(request, at: position).whole
        let efforts = request.order == .seconds ? [] : ["goal_permille", "days_met", "days"]
        var text = CSV.line(["rank", "nickname", "uid", "seconds", "time", "manual_seconds", "change"] + efforts)
        for entry in whole.entries(for: request.reader) { text += CSV.line(cells(entry, days: whole.days)) }
        return ("board-\(request.period.length.name(whole.frame.firstDay)).csv", text)
    }

    /// A hidden member has nothing but a rank.
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
