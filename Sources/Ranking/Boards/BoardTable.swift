import Accounts
import HTTP
import Postgres
import Study
import Time

/// A whole board as comma-separated values, for spreadsheets: one line for each place.
struct BoardTable: Sendable {
    let boards: BoardStore

    /// The name of a file for it, and its text. Throws `not_found` and `future_period`.
    func csv(_ request: BoardRequest, at position: ChangeFeed.Position) async throws -> (name: String, text: String) {
        let whole = try await boards.page(request, at: position).whole
        let efforts = request.order == .seconds ? [] : ["goal_permille", "days_met", "days"]
        var text = CSV.line(["rank", "nickname", "uid", "seconds", "time", "manual_seconds", "change"] + efforts)
        for entry in whole.entries(for: request.reader) { text += CSV.line(cells(entry, days: whole.days)) }
        return ("anthill-board-\(request.period.length.name(whole.frame.firstDay)).csv", text)
    }

    /// A hidden member has nothing but a rank.
    private func cells(_ entry: Leaderboard.Entry, days: Int?) -> [CSV.Cell] {
        guard let member = entry.member else {
            return [.number(entry.rank)] + Array(repeating: .number(nil), count: days == nil ? 6 : 9)
        }
        let efforts: [CSV.Cell]? = member.effort.map { [.number($0.goalPermille), .number($0.daysMet), .number(days)] }
        return [
            .number(member.rank), .text(member.nickname ?? ""), .text(member.uid?.description ?? ""),
            .number(member.seconds), .text(Self.time(member.seconds)), .number(member.manualSeconds),
            .number(member.change),
        ] + (efforts ?? [])
    }

    /// `117:08:05`.
    private static func time(_ seconds: Int) -> String {
        "\(seconds / 3600):\((seconds / 60 % 60).twoDigits):\((seconds % 60).twoDigits)"
    }
}
