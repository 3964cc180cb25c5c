import API
import Accounts
import HTTP
import Mail
import Postgres

/// Timers that have run unattended for too long: their owners are told by mail, once for each session, if they want it.
struct UnattendedTimers: Sendable {
    let database: Database
    let baseURL: String
    let optOuts: OptOuts

    /// Asks for the mails and answers how many.
    @discardableResult
    func mail() async throws -> Int {
        try await database.write("SELECT tell_of_unattended_timers()")[0].decode(Int.self)
    }

    var letters: [MailKind: Composer] { [.unattendedTimer: compose] }

    /// Nothing is sent about a timer that was paused or stopped in the meantime.
    private func compose(_ item: OutboxItem) async throws -> Composition? {
        guard let uid = item.parameters["uid"].flatMap(ID.init),
            let session = item.parameters["session_id"].flatMap(ID.init)
        else { return nil }
        let rows = try await database.read("SELECT * FROM unattended_timer(\(uid), \(session))")
        guard let row = rows.first else { return nil }
        guard let to = Mailbox(of: try row["nickname"], at: try row["email"]) else { return nil }
        let language: Language = try row["locale"]
        return Composition(letter(to: to, uid, since: try row["began"], language: language))
    }

    /// `since` is when the timer of `uid` began, on its owner's clock.
    func letter(to: Mailbox, _ uid: ID, since: String, language: Language) -> Message {
        Letter(
            subject: Localized(
                ko: "타이머가 \(RuleNumber.unattendedAfterHours)시간 넘게 켜져 있어요",
                en: "Your timer has been running for over \(RuleNumber.unattendedAfterHours) hours"),
            before: [
                Localized(
                    ko:
                        "\(since)에 시작한 타이머가 쉬지 않고 \(RuleNumber.unattendedAfterHours)시간 넘게 켜져 있어요. 아직 공부하고 있다면 그대로 두면 돼요.",
                    en:
                        "The timer you started at \(since) has been running for more than \(RuleNumber.unattendedAfterHours) hours without a pause. "
                        + "If you are still studying, there is nothing to do.")
            ],
            action: .init(label: Localized(ko: "타이머 보기", en: "Open the timer"), link: "\(baseURL)/home"),
            after: [
                Localized(
                    ko: "\(RuleNumber.longestIntervalHours)시간이 되면 타이머는 저절로 끝나고, 언제 끝냈는지 알려 줄 때까지 공부 시간으로 인정되지 않아요.",
                    en:
                        "At \(RuleNumber.longestIntervalHours) hours it ends by itself, and counts for nothing until you say when you really finished."
                ),
                Localized(
                    ko: "이 메일은 타이머마다 한 번만 보내요.", en: "We send this once per session."),
            ],
            optOut: optOuts.link(.unattendedMail, of: uid)
        ).message(to: to, in: language)
    }
}

extension MailKind {
    static let unattendedTimer = MailKind(rawValue: "unattended_timer")
}
