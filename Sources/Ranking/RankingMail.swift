import Accounts
import HTTP
import Mail
import Postgres
import Time

/// What boards say by mail: how a month ended.
struct RankingMail: Sendable {
    let database: Database
    let baseURL: String
    let optOuts: OptOuts

    var letters: [MailKind: Composer] { [.monthDigest: monthDigest] }

    /// Nothing for somebody who no longer wants such mail, has another address by now, may not read the board any more,
    /// or is not in these standings.
    private func monthDigest(_ item: OutboxItem) async throws -> Composition? {
        guard let group = item.parameters["group"].flatMap(ID.init),
            let user = item.parameters["user"].flatMap(ID.init),
            let month = item.parameters["month"].flatMap(Day.init(month:))
        else { return nil }
        async let mine = database.read(
            """
            SELECT u.nickname, u.locale, c.group_name, c.participants, s.rank, s.seconds
            FROM users u
            JOIN user_emails e ON e.uid = u.uid AND e.email = \(item.to)
            JOIN group_members m ON m.uid = u.uid AND m.group_id = \(group)
            JOIN month_closes c ON c.group_id = \(group) AND c.month = \(month)
            CROSS JOIN LATERAL closed_scores(\(group), \(month)) s
            WHERE u.uid = \(user) AND u.digest_mail AND in_use(u) AND s.uid = u.uid
            """)
        async let podium = database.read(
            """
            SELECT CASE WHEN p.visibility = 'hidden' THEN p.amended_place ELSE s.amended_rank END AS rank, p.nickname,
              s.amended_seconds, p.visibility = 'hidden'
            FROM places_in_standings(\(group), \(month)) p
            JOIN standings s ON s.group_id = \(group) AND s.month = \(month) AND s.person = p.person
            WHERE p.amended_place <= 3 AND (s.amended_seconds > 0 OR p.visibility = 'hidden')
            ORDER BY p.amended_place
            """)
        guard
            let (nickname, language, name, participants, rank, seconds) = try await mine.decode(
                String.self, Language.self, String.self, Int.self, Int.self, Int.self
            ).first, let to = Mailbox(of: nickname, at: item.to)
        else { return nil }
        let winners = try await podium.decode(Int.self, String?.self, Int.self, Bool.self)
        let digest = MonthDigest(
            group: name, groupID: group.description, month: month.monthText, rank: rank, participants: participants,
            seconds: seconds,
            podium: winners.map { rank, name, seconds, isHidden in
                .init(rank: rank, name: isHidden ? nil : name, seconds: isHidden ? nil : seconds)
            })
        return Composition(
            digest.letter(
                to: to, baseURL: baseURL, optOut: optOuts.link(.digestMail, of: user), language: language))
    }
}

extension MailKind {
    static let monthDigest = MailKind(rawValue: "month_digest")
}
