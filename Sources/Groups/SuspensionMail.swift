import HTTP
import Mail
import Postgres

/// The letter to a member who was suspended from a group's boards. Nothing is sent once that is over.
package struct SuspensionMail: Sendable {
    private let database: Database
    private let baseURL: String

    package init(database: Database, baseURL: String) {
        self.database = database
        self.baseURL = baseURL
    }

    var letters: [MailKind: Composer] { [MailKind(rawValue: "suspension"): compose] }

    private func compose(_ item: OutboxItem) async throws -> Composition? {
        guard let suspension = item.parameters["suspension"].flatMap(ID.init) else { return nil }
        let rows = try await database.read(
            """
            SELECT s.nickname, u.locale, s.group_id, g.name, s.reason,
              to_char(s.until AT TIME ZONE r.time_zone, 'YYYY-MM-DD HH24:MI') || ' (' || r.time_zone || ')' AS until
            FROM told_suspensions s
            JOIN users u USING (uid) JOIN user_emails e USING (uid) JOIN groups g USING (group_id)
            CROSS JOIN LATERAL group_rules_now(s.group_id) r
            WHERE s.suspension_id = \(suspension) AND s.in_force AND e.email = \(item.to)
            """)
        guard let row = rows.first, let to = Mailbox(of: try row["nickname"], at: item.to) else { return nil }
        let (group, locale): (ID, String) = (try row["group_id"], try row["locale"])
        return Composition(
            letter(
                to: to, group: try row["name"], at: "/groups/\(group)", reason: try row["reason"],
                until: try row["until"], language: Language(rawValue: locale) ?? .en))
    }

    /// `path` is that of the group's page, `until` when the suspension ends on the group's clock.
    package func letter(
        to: Mailbox, group: String, at path: String, reason: String, until: String, language: Language
    ) -> Message {
        Letter(
            subject: Localized(
                ko: "\(group): 순위에서 잠시 정지됐어요", en: "You are suspended from the boards of \(group)"),
            before: [
                Localized(
                    ko: "\(until)까지 이 모임의 순위에 나오지 않아요. 관리자가 적은 사유예요.",
                    en: "Until \(until) you are on none of this group's boards. An admin gave this reason."),
                Localized(ko: "“\(reason)”", en: "“\(reason)”"),
            ],
            action: .init(label: Localized(ko: "사유를 보고 답하기", en: "Read it and reply"), link: baseURL + path),
            after: [
                Localized(
                    ko: "타이머와 기록은 그대로이고, 정지가 끝나면 모든 시간이 다시 인정돼요. 다만 정지된 동안 확정되는 달의 순위에서는 빠져요.",
                    en: """
                        Your timer and records are not affected, and all your time counts again afterwards. A month that \
                        becomes final meanwhile leaves you out.
                        """)
            ]
        ).message(to: to, in: language)
    }
}
