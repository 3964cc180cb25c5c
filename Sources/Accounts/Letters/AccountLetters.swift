import API
import HTTP
import Mail

/// What accounts say by mail, in Korean and English.
package struct AccountLetters: Sendable {
    /// The configured one, never a request's `Host`.
    let baseURL: String

    package init(baseURL: String) { self.baseURL = baseURL }

    /// Closes a mail that somebody else may have asked for.
    static let nothingHappens = Localized(
        ko: "직접 요청하지 않았다면 이 메일을 지워 주세요. 아무 일도 일어나지 않아요.",
        en: "If this was not you, delete this email. Nothing will happen.")
    static let accountStays = Localized(
        ko: "직접 요청하지 않았다면 이 메일을 지워 주세요. 계정은 그대로예요.",
        en: "If this was not you, delete this email. Your account has not changed.")
    var forgotPassword: Localized {
        Localized(
            ko: "비밀번호가 생각나지 않으면 여기서 다시 정할 수 있어요: \(baseURL)/reset",
            en: "If you have forgotten the password, choose a new one here: \(baseURL)/reset")
    }

    /// For an address that nobody has registered yet. `inviter` invited them to a group.
    func registration(to: Mailbox, token: String, from inviter: Inviter? = nil, language: Language) -> Message {
        let invitation = inviter.map { inviter in
            Localized(
                ko: "\(inviter.nickname) 님이 ‘\(inviter.group)’ 모임에 초대했어요.",
                en: "\(inviter.nickname) invited you to the group “\(inviter.group)”.")
        }
        return Letter(
            subject: Localized(ko: "공부 개미 가입을 마쳐 주세요", en: "Finish joining Anthill"),
            before: [invitation].compactMap(\.self) + [
                Localized(
                    ko: "이 주소로 공부 개미에 가입하려는 요청을 받았어요. 별명과 비밀번호를 정하면 가입이 끝나요.",
                    en: "Someone asked to join Anthill with this address. Choose a nickname and a password to finish.")
            ],
            action: .init(
                label: Localized(ko: "가입 마치기", en: "Finish joining"), link: AccountLinks(baseURL).welcome(token)),
            after: [
                Localized(
                    ko: "링크는 \(RuleNumber.registrationLinkHours)시간 동안 한 번만 쓸 수 있어요.",
                    en: "The link works once, within \(RuleNumber.registrationLinkHours) hours."),
                Self.nothingHappens,
            ]
        ).message(to: to, in: language)
    }

    /// Instead of a registration, for an address that has an account.
    func alreadyRegistered(to: Mailbox, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "이미 공부 개미에 가입한 주소예요", en: "You already have an Anthill account"),
            before: [
                Localized(
                    ko: "이 주소로 가입하려는 요청을 받았는데, 이미 가입되어 있어요. 그대로 로그인하면 돼요.",
                    en: "Someone asked to join Anthill with this address, and it already has an account. Just sign in.")
            ],
            action: .init(label: Localized(ko: "로그인", en: "Sign in"), link: "\(baseURL)/sign-in"),
            after: [
                forgotPassword,
                Self.accountStays,
            ]
        ).message(to: to, in: language)
    }

    /// For an address that has an account.
    func passwordReset(to: Mailbox, token: String, language: Language) -> Message {
        let minutes = RuleNumber.accountLinkMinutes
        return Letter(
            subject: Localized(ko: "공부 개미 비밀번호 재설정", en: "Choose a new Anthill password"),
            before: [
                Localized(
                    ko: "비밀번호를 다시 정하려는 요청을 받았어요.", en: "Someone asked to choose a new password for your account.")
            ],
            action: .init(
                label: Localized(ko: "비밀번호 다시 정하기", en: "Choose a new password"),
                link: AccountLinks(baseURL).newPassword(token)),
            after: [
                Localized(
                    ko: "링크는 \(minutes)분 동안 한 번만 쓸 수 있어요. 새 비밀번호를 정하면 모든 기기에서 로그아웃돼요.",
                    en: "The link works once, within \(minutes) minutes. A new password signs you out on every device."),
                Localized(
                    ko: "직접 요청하지 않았다면 이 메일을 지워 주세요. 비밀번호는 그대로예요.",
                    en: "If this was not you, delete this email. Your password has not changed."),
            ]
        ).message(to: to, in: language)
    }

    /// To an address without an account, about which somebody asked.
    func noAccount(to: Mailbox, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "이 주소로 만든 공부 개미 계정이 없어요", en: "No Anthill account under this address"),
            before: [
                Localized(
                    ko: "이 주소로 만든 계정을 찾는 요청을 받았지만, 그런 계정이 없어요. 다른 주소로 가입했을 수 있어요.",
                    en: "Someone looked for the account of this address, but there is none. "
                        + "You may have joined with another.")
            ],
            action: .init(
                label: Localized(ko: "다른 주소로 찾아보기", en: "Try another address"),
                link: "\(baseURL)/find-email"),
            after: [
                Localized(
                    ko: "처음이라면 여기서 가입할 수 있어요: \(baseURL)/register", en: "To join, start here: \(baseURL)/register"),
                Localized(
                    ko: "직접 요청하지 않았다면 이 메일을 지워 주세요.", en: "If this was not you, delete this email."),
            ]
        ).message(to: to, in: language)
    }

    /// The notice after a password was changed or reset.
    func passwordChanged(to: Mailbox, language: Language) -> Message {
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

    /// For somebody whose address did not take mail, and who tries again.
    package func mailTest(to: Mailbox, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "공부 개미 메일이 잘 도착했어요", en: "Email from Anthill reaches you"),
            before: [
                Localized(
                    ko: "이 주소로 메일이 가는지 확인하려고 보낸 메일이에요. 더 할 일은 없어요.",
                    en: "You asked for this email to see whether email reaches this address. There is nothing to do.")
            ],
            action: .init(label: Localized(ko: "공부 개미 열기", en: "Open Anthill"), link: "\(baseURL)/home"),
            after: []
        ).message(to: to, in: language)
    }
}
