import API
import HTTP
import Mail

/// The notices about the accounts at providers through which somebody signs in.
extension AccountLetters {
    func identityLinked(to: Mailbox, provider: String, language: Language) -> Message {
        Letter(
            subject: Localized(
                ko: "공부 개미 계정에 \(provider) 계정이 연결됐어요", en: "\(provider) was linked to your Anthill account"),
            before: [
                Localized(
                    ko: "이제 \(provider) 계정으로도 로그인할 수 있어요. 직접 연결했다면 더 할 일은 없어요.",
                    en: "You can now sign in through \(provider), too. If this was you, there is nothing to do."),
                Localized(
                    ko: "직접 연결하지 않았다면 바로 비밀번호를 다시 정해 주세요. 그리고 설정에서 연결을 해제해 주세요: \(baseURL)/settings",
                    en: "If this was not you, choose a new password now. "
                        + "Then unlink \(provider) in the settings: \(baseURL)/settings"),
            ],
            action: .init(
                label: Localized(ko: "비밀번호 다시 정하기", en: "Choose a new password"), link: "\(baseURL)/reset"),
            after: []
        ).message(to: to, in: language)
    }

    func identityUnlinked(to: Mailbox, provider: String, language: Language) -> Message {
        Letter(
            subject: Localized(
                ko: "공부 개미 계정에서 \(provider) 계정 연결이 해제됐어요",
                en: "\(provider) was unlinked from your Anthill account"),
            before: [
                Localized(
                    ko: "이제 \(provider) 계정으로 로그인할 수 없어요. 다른 기기는 모두 로그아웃됐어요. 직접 해제했다면 더 할 일은 없어요.",
                    en: "You can no longer sign in through \(provider), and all other devices were signed out. "
                        + "If this was you, there is nothing to do."),
                Localized(
                    ko: "직접 해제하지 않았다면 바로 비밀번호를 다시 정해 주세요.",
                    en: "If this was not you, choose a new password now."),
            ],
            action: .init(
                label: Localized(ko: "비밀번호 다시 정하기", en: "Choose a new password"), link: "\(baseURL)/reset"),
            after: []
        ).message(to: to, in: language)
    }
}
