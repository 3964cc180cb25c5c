import API
import HTTP

/// Every message Anthill sends, in Korean and English.
///
/// Tokens travel in the fragment of a link, so no server's log and no `Referer` ever holds one.
package struct Letters: Sendable {
    let baseURL: String

    /// `baseURL` is the configured one, never a request's `Host`.
    package init(baseURL: String) {
        self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
    }

    /// For an address that nobody has registered yet.
    package func registration(to: Mailbox, token: String, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "공부 개미 가입을 마쳐 주세요", en: "Finish joining Anthill"),
            before: [
                Localized(
                    ko: "이 주소로 공부 개미에 가입하려는 요청을 받았어요. 별명과 비밀번호를 정하면 가입이 끝나요.",
                    en: "Someone asked to join Anthill with this address. Choose a nickname and a password to finish.")
            ],
            action: .init(
                label: Localized(ko: "가입 마치기", en: "Finish joining"), link: "\(baseURL)/welcome#token=\(token)"),
            after: [
                Localized(
                    ko: "링크는 24시간 동안 한 번만 쓸 수 있어요.", en: "The link works once, within 24 hours."),
                Localized(
                    ko: "직접 요청하지 않았다면 이 메일을 지워 주세요. 아무 일도 일어나지 않아요.",
                    en: "If this was not you, delete this mail. Nothing will happen."),
            ]
        ).message(to: to, in: language)
    }

    /// Instead of a registration, for an address that has an account.
    package func alreadyRegistered(to: Mailbox, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "이미 공부 개미에 가입한 주소예요", en: "You already have an Anthill account"),
            before: [
                Localized(
                    ko: "이 주소로 가입하려는 요청을 받았는데, 이미 가입되어 있어요. 그대로 로그인하면 돼요.",
                    en: "Someone asked to join Anthill with this address, and it already has an account. Just sign in.")
            ],
            action: .init(label: Localized(ko: "로그인", en: "Sign in"), link: "\(baseURL)/sign-in"),
            after: [
                Localized(
                    ko: "비밀번호가 생각나지 않으면 여기서 다시 정할 수 있어요: \(baseURL)/reset",
                    en: "If you have forgotten the password, choose a new one here: \(baseURL)/reset"),
                Localized(
                    ko: "직접 요청하지 않았다면 이 메일을 지워 주세요. 계정은 그대로예요.",
                    en: "If this was not you, delete this mail. Your account is as it was."),
            ]
        ).message(to: to, in: language)
    }

    /// For an address that has an account.
    package func passwordReset(to: Mailbox, token: String, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "공부 개미 비밀번호를 다시 정해 주세요", en: "Choose a new Anthill password"),
            before: [
                Localized(
                    ko: "비밀번호를 다시 정하려는 요청을 받았어요.", en: "Someone asked to choose a new password for your account.")
            ],
            action: .init(
                label: Localized(ko: "비밀번호 다시 정하기", en: "Choose a new password"),
                link: "\(baseURL)/new-password#token=\(token)"),
            after: [
                Localized(
                    ko: "링크는 30분 동안 한 번만 쓸 수 있어요. 새 비밀번호를 정하면 모든 기기에서 로그아웃돼요.",
                    en: "The link works once, within 30 minutes. A new password signs you out on every device."),
                Localized(
                    ko: "직접 요청하지 않았다면 이 메일을 지워 주세요. 비밀번호는 그대로예요.",
                    en: "If this was not you, delete this mail. Your password is as it was."),
            ]
        ).message(to: to, in: language)
    }

    /// Instead of a reset, for an address without an account: "which address do I have?" is answered by mail alone.
    package func noAccount(to: Mailbox, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "이 주소로 만든 공부 개미 계정이 없어요", en: "No Anthill account under this address"),
            before: [
                Localized(
                    ko: "비밀번호를 다시 정하려는 요청을 받았는데, 이 주소로 만든 계정이 없어요. 다른 주소로 가입했을 수 있어요.",
                    en:
                        "Someone asked for a new password, but no account has this address. You may have joined with another."
                )
            ],
            action: .init(
                label: Localized(ko: "다른 주소로 해 보기", en: "Try another address"), link: "\(baseURL)/reset"),
            after: [
                Localized(
                    ko: "처음이라면 여기서 가입할 수 있어요: \(baseURL)/register", en: "To join, start here: \(baseURL)/register"),
                Localized(
                    ko: "직접 요청하지 않았다면 이 메일을 지워 주세요.", en: "If this was not you, delete this mail."),
            ]
        ).message(to: to, in: language)
    }

    /// The notice after a password was changed or reset.
    package func passwordChanged(to: Mailbox, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "공부 개미 비밀번호가 바뀌었어요", en: "Your Anthill password was changed"),
            before: [
                Localized(
                    ko: "비밀번호가 방금 바뀌었어요. 다른 기기는 모두 로그아웃됐어요. 직접 바꿨다면 더 할 일은 없어요.",
                    en: "Your password was just changed and all other devices were signed out. "
                        + "If this was you, there is nothing to do."),
                Localized(
                    ko: "직접 바꾸지 않았다면 바로 비밀번호를 다시 정해 주세요.",
                    en: "If this was not you, choose a new password now."),
            ],
            action: .init(
                label: Localized(ko: "비밀번호 다시 정하기", en: "Choose a new password"), link: "\(baseURL)/reset"),
            after: []
        ).message(to: to, in: language)
    }

    /// For whoever has a timer running for hours without a pause; `since` is when it began, on their clock.
    package func unattendedTimer(to: Mailbox, since: String, language: Language) -> Message {
        Letter(
            subject: Localized(
                ko: "타이머가 \(RuleNumber.unattendedAfterHours)시간 넘게 가고 있어요",
                en: "Your timer has been running for \(RuleNumber.unattendedAfterHours) hours"),
            before: [
                Localized(
                    ko:
                        "\(since)에 시작한 타이머가 쉬지 않고 \(RuleNumber.unattendedAfterHours)시간 넘게 가고 있어요. 아직 공부하고 있다면 그대로 두면 돼요.",
                    en:
                        "The timer you started at \(since) has been running for more than \(RuleNumber.unattendedAfterHours) hours without a pause. "
                        + "If you are still studying, there is nothing to do.")
            ],
            action: .init(label: Localized(ko: "타이머 보기", en: "Open the timer"), link: "\(baseURL)/home"),
            after: [
                Localized(
                    ko: "\(RuleNumber.longestIntervalHours)시간이 되면 타이머는 저절로 끝나고, 언제 끝냈는지 알려 줄 때까지 공부로 세지 않아요.",
                    en:
                        "At \(RuleNumber.longestIntervalHours) hours it ends by itself, and counts for nothing until you say when you stopped."
                ),
                Localized(
                    ko: "이 메일은 타이머 하나에 한 번만 가요. 설정에서 끌 수 있어요: \(baseURL)/settings",
                    en: "This mail comes once for a timer. You can turn it off in the settings: \(baseURL)/settings"),
            ]
        ).message(to: to, in: language)
    }
}
