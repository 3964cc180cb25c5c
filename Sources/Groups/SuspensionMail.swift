import HTTP
import Mail
import Postgres

/// The letter to somebody who was suspended from the boards of a group, or from the service's own. Nothing is sent once
/// that is over, or to somebody who cannot sign in.
package struct SuspensionMail: Sendable {
    private let database: Database
    private let baseURL: String

    package init(database: Database, baseURL: String) {
        self.database = database
        self.baseURL = baseURL
    }

    var letters: [MailKind: Composer] { [.suspension: compose] }

    private func compose(_ item: OutboxItem) async throws -> Composition? {
        guard let suspension = item.parameters["suspension"].flatMap(ID.init) else { return nil }
        let rows = try await database.read(
            """
            SELECT s.nickname, u.locale, s.group_id, g.name, s.reason,
              to_char(s.until AT TIME ZONE r.time_zone, 'YYYY-MM-DD HH24:MI') || ' (' || r.time_zone || ')' AS until
            FROM told_suspensions s
            JOIN users u USING (uid) JOIN user_emails e USING (uid) LEFT JOIN groups g USING (group_id)
            JOIN ranking_rules r ON CASE WHEN s.group_id IS NULL THEN r.is_global
                                         ELSE r.rules_id = (group_rules_now(s.group_id)).rules_id END
            WHERE s.suspension_id = \(suspension) AND s.in_force AND may_sign_in(u) AND e.email = \(item.to)
            """)
        guard let row = rows.first, let to = Mailbox(of: try row["nickname"], at: item.to) else { return nil }
        let group: ID? = try row["group_id"]
        let boards: Boards = if let group { .group(try row["name"], at: "/groups/\(group)") } else { .service }
        return Composition(
            letter(
                to: to, from: boards, reason: try row["reason"], until: try row["until"], language: try row["locale"]))
    }

    /// The boards that somebody is kept off: a group's, by its name and its page, or the global board and that of groups.
    package enum Boards: Sendable {
        case group(String, at: String)
        case service
    }

    /// `until` is when the suspension ends, on the clock of the boards.
    package func letter(
        to: Mailbox, from boards: Boards, reason: String, until: String, language: Language
    ) -> Message {
        let (subject, meaning, kept, path): (Localized, Localized, Localized, String) =
            switch boards {
            case .group(let group, let page):
                (
                    Localized(
                        ko: "\(group): 순위에서 잠시 정지됐어요", en: "You are suspended from the boards of \(group)"),
                    Localized(
                        ko: "\(until)까지 이 모임의 순위에 나오지 않아요. 관리자가 적은 사유예요.",
                        en: "Until \(until) you are on none of this group's boards. An admin gave this reason."),
                    Localized(
                        ko: "타이머와 기록은 그대로예요.", en: "Your timer and records are not affected."),
                    page
                )
            case .service:
                (
                    Localized(ko: "전체 순위에서 잠시 정지됐어요", en: "You are suspended from the global board"),
                    Localized(
                        ko: "\(until)까지 전체 순위에 나오지 않고, 모임 대항 순위에도 내 시간이 들어가지 않아요. 이 서비스의 관리자가 적은 사유예요.",
                        en: """
                            Until \(until) you are not on the global board, and your time does not count in the group \
                            ranking. An admin of this service gave this reason.
                            """),
                    Localized(
                        ko: "타이머와 기록, 모임 안의 순위는 그대로예요.",
                        en: "Your timer, your records and the boards of your groups are not affected."),
                    "/board"
                )
            }
        return Letter(
            subject: subject,
            before: [meaning, Localized(ko: "“\(reason)”", en: "“\(reason)”")],
            action: .init(label: Localized(ko: "사유를 보고 답하기", en: "Read it and reply"), link: baseURL + path),
            after: [
                Localized(
                    ko: "\(kept.ko) 정지가 끝나면 모든 시간이 다시 인정돼요. 다만 정지된 동안 확정되는 달의 순위에서는 빠져요.",
                    en: """
                        \(kept.en) All your time counts again afterwards. A month that becomes final meanwhile leaves \
                        you out.
                        """)
            ]
        ).message(to: to, in: language)
    }
}

extension MailKind {
    static let suspension = MailKind(rawValue: "suspension")
}
