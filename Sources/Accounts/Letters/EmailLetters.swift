import API
import HTTP
import Mail

/// What is said about addresses.
extension AccountLetters {
    /// To the address that somebody wants for their account.
    func emailChange(to: Mailbox, token: String, language: Language) -> Message {
        let minutes = RuleNumber.accountLinkMinutes
        return Letter(
            subject: Localized(ko: "새 이메일 주소를 확인해 주세요", en: "Confirm your new Anthill address"),
            before: [
                Localized(
                    ko: "공부 개미 계정의 이메일을 이 주소로 바꾸려는 요청을 받았어요.",
                    en: "Someone asked to use this address for their Anthill account.")
            ],
            action: .init(
                label: Localized(ko: "이 주소로 바꾸기", en: "Use this address"),
                link: "\(baseURL)/new-email#token=\(token)"),
            after: [
                Localized(
                    ko: "링크는 \(minutes)분 동안 한 번만 쓸 수 있어요. 주소가 바뀌면 다른 기기에서는 로그아웃돼요.",
                    en: "The link works once, within \(minutes) minutes. The change signs out all other devices."),
                Self.nothingHappens,
            ]
        ).message(to: to, in: language)
    }

    /// Instead of that, to an address that has an account.
    func emailTaken(to: Mailbox, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "이 주소에는 이미 계정이 있어요", en: "This address already has an Anthill account"),
            before: [
                Localized(
                    ko: "공부 개미 계정의 이메일을 이 주소로 바꾸려는 요청을 받았는데, 이 주소로 만든 계정이 이미 있어요. 아무것도 바뀌지 않았어요.",
                    en: "Someone asked to use this address for their Anthill account, but it already has one. "
                        + "Nothing has changed.")
            ],
            action: .init(label: Localized(ko: "로그인", en: "Sign in"), link: "\(baseURL)/sign-in"),
            after: [
                Localized(
                    ko: "직접 요청했다면 이 주소의 계정으로 로그인하거나, 다른 주소로 바꿔 주세요.",
                    en: "If this was you, sign in to the account of this address, or choose another address."),
                Self.accountStays,
            ]
        ).message(to: to, in: language)
    }

    /// To the old address: what is about to take its place, or already has, and how to prevent it.
    func emailChangeNotice(
        to: Mailbox, new: String, byOperator: Bool, token: String, language: Language
    ) -> Message {
        Letter(
            subject: Localized(ko: "공부 개미 계정의 이메일이 바뀌어요", en: "Your Anthill address is being changed"),
            before: [
                byOperator
                    ? Localized(
                        ko: "운영하는 분이 계정의 이메일을 \(new) 주소로 바꿨어요. 직접 부탁했다면 더 할 일은 없어요.",
                        en: "The operator of this service changed the address of your account to \(new). "
                            + "If you asked for this, there is nothing to do.")
                    : Localized(
                        ko: "계정의 이메일을 \(new) 주소로 바꾸려는 요청을 받았어요. 직접 요청했다면 더 할 일은 없어요.",
                        en: "Someone who is signed in to your account asked to change its address to \(new). "
                            + "If this was you, there is nothing to do."),
                Localized(
                    ko: "직접 요청하지 않았다면 이 주소를 지켜 주세요. 주소가 이미 바뀌었어도 되돌리고, 모든 기기에서 로그아웃하고, 비밀번호를 새로 정하게 돼요.",
                    en: "If this was not you, keep this address. Even if it was already changed, you get it back, "
                        + "every device is signed out, and you choose a new password."),
            ],
            action: .init(
                label: Localized(ko: "내 주소 지키기", en: "Keep my address"),
                link: "\(baseURL)/keep-email#token=\(token)"),
            after: [
                Localized(
                    ko: "링크는 \(RuleNumber.emailHoldDays)일 동안 쓸 수 있어요.",
                    en: "The link works for \(RuleNumber.emailHoldDays) days.")
            ]
        ).message(to: to, in: language)
    }

    /// To an address with an account, about which somebody asked.
    func emailReminder(to: Mailbox, nickname: String, language: Language) -> Message {
        Letter(
            subject: Localized(ko: "이 주소로 가입한 계정이 있어요", en: "This is the address of your Anthill account"),
            before: [
                Localized(
                    ko: "어느 주소로 가입했는지 묻는 요청을 받았어요. 이 주소로 가입한 ‘\(nickname)’ 계정이 있어요.",
                    en: "Someone asked whether this address has an Anthill account. "
                        + "It has one, with the nickname “\(nickname)”.")
            ],
            action: .init(label: Localized(ko: "로그인", en: "Sign in"), link: "\(baseURL)/sign-in"),
            after: [
                forgotPassword,
                Self.accountStays,
            ]
        ).message(to: to, in: language)
    }
}
