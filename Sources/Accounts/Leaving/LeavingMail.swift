import HTTP
import Mail
import Postgres

/// The letter to somebody whose account will be deleted. Nothing is sent to a user who has come back.
struct LeavingMail: Sendable {
    let database: Database
    let baseURL: String

    var letters: [MailKind: Composer] { [.accountLeaving: compose] }

    private func compose(_ item: OutboxItem) async throws -> Composition? {
        guard let uid = item.parameters["uid"].flatMap(ID.init), let at = item.parameters["at"],
            let zone = item.parameters["zone"],
            let user = try await database.read(
                "SELECT nickname FROM users WHERE uid = \(uid) AND leaves_at IS NOT NULL"
            ).first, let to = Mailbox(of: try user["nickname"], at: item.to)
        else { return nil }
        return Composition(letter(to: to, at: "\(at) (\(zone))", language: item.language))
    }

    /// `at` is when the account will be deleted, on its owner's clock.
    func letter(to: Mailbox, at: String, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "공부 개미 계정이 곧 삭제돼요", en: "Your Anthill account will be deleted"),
            before: [
                Localized(
                    ko: "계정을 삭제해 달라는 요청을 받았어요. \(at)에 계정과 모든 기록이 삭제돼요.",
                    en: "Someone asked to delete your account. On \(at) it will be gone, with everything in it."),
                Localized(
                    ko: "그 전에 로그인하면 계정은 그대로 남아요.", en: "Sign in before then, and your account stays as it is."),
            ],
            action: .init(label: Localized(ko: "로그인해서 계정 지키기", en: "Sign in and keep it"), link: "\(baseURL)/sign-in"),
            after: [
                Localized(
                    ko: "직접 요청하지 않았다면 로그인한 뒤 비밀번호를 바꿔 주세요: \(baseURL)/reset",
                    en: "If this was not you, sign in and choose a new password: \(baseURL)/reset")
            ]
        ).message(to: to, in: language)
    }
}

extension MailKind {
    static let accountLeaving = MailKind(rawValue: "account_leaving")
}
