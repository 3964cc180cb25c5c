import HTTP

@testable import Mail

extension MailKind {
    static let registration = MailKind(rawValue: "registration")
    static let passwordReset = MailKind(rawValue: "password_reset")
    static let passwordChanged = MailKind(rawValue: "password_changed")
}

/// A letter like those that features send.
func sampleLetter(to: Mailbox, token: String, language: Language) -> Message {
    Letter(
        subject: Localized(ko: "공부 개미 가입을 마쳐 주세요", en: "Finish joining Anthill"),
        before: [
            Localized(
                ko: "이 주소로 공부 개미에 가입하려는 요청을 받았어요. 별명과 비밀번호를 정하면 가입이 끝나요.",
                en: "Someone asked to join Anthill with this address. Choose a nickname and a password to finish.")
        ],
        action: .init(
            label: Localized(ko: "가입 마치기", en: "Finish joining"),
            link: "https://anthill.example.org/welcome#token=\(token)"),
        after: [Localized(ko: "링크는 24시간 동안 한 번만 쓸 수 있어요.", en: "The link works once, within 24 hours.")]
    ).message(to: to, in: language)
}
