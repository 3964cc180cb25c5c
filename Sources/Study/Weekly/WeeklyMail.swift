import API
import Accounts
import HTTP
import Mail
import Postgres
import Time

/// Letters about the week, for those who want them.
struct WeeklyMail: Sendable {
    let database: Database
    let baseURL: String
    let optOuts: OptOuts

    /// Asks for the letters that are due, and answers how many.
    func send() async throws -> Int {
        try await database.write("SELECT send_weekly_letters()").one.decode(Int.self)
    }

    var letters: [MailKind: Composer] { [.weeklyLetter: compose] }

    /// Nothing is sent to somebody who wants no letters any more.
    private func compose(_ item: OutboxItem) async throws -> Composition? {
        guard let uid = item.parameters["uid"].flatMap(ID.init), let week = item.parameters["week"].flatMap({ Day($0) })
        else { return nil }
        let rows = try await database.read("SELECT * FROM weekly_letter(\(uid), \(week))")
        guard let row = rows.first, let to = Mailbox(of: try row["nickname"], at: try row["email"]) else { return nil }
        let letter = WeeklyLetter(
            week: week, seconds: try row["seconds"], secondsBefore: try row["seconds_before"],
            studyDays: try row["study_days"], ants: try row["ants"], perfect: try row["perfect"],
            streak: try row["streak"], goalSeconds: try row["goal_seconds"])
        let language: Language = try row["locale"]
        return Composition(
            letter.message(to: to, baseURL: baseURL, optOut: optOuts.link(.weeklyMail, of: uid), language: language))
    }
}

extension MailKind {
    static let weeklyLetter = MailKind(rawValue: "weekly_letter")
}
