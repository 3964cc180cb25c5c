import API
import HTTP

/// The one shape all mails have: some words, one thing to do, some more words. It is written once and rendered as text
/// and as HTML (``LetterPage``).
package struct Letter {
    package struct Action {
        let label: Localized
        let link: String

        package init(label: Localized, link: String) {
            self.label = label
            self.link = link
        }
    }

    let subject: Localized
    let before: [Localized]
    let action: Action
    let after: [Localized]
    let optOut: String?

    /// `optOut` is where its reader turns off mail of this kind; nil for mail about security.
    package init(
        subject: Localized, before: [Localized], action: Action, after: [Localized], optOut: String? = nil
    ) {
        self.subject = subject
        self.before = before
        self.action = action
        self.after = after
        self.optOut = optOut
    }

    /// The letter, which begins with the name of whom it is to.
    package func message(to: Mailbox, in language: Language) -> Message {
        let letter = to.name.isEmpty ? self : greeting(to.name)
        return Message(
            to: to, subject: subject[language], text: letter.text(in: language),
            html: LetterPage(letter: letter, language: language).html, link: action.link, optOut: optOut)
    }

    private func greeting(_ name: String) -> Letter {
        Letter(
            subject: subject, before: [Localized(ko: "\(name) 님, 안녕하세요.", en: "Hello \(name),")] + before,
            action: action, after: after, optOut: optOut)
    }

    private func text(in language: Language) -> String {
        var paragraphs =
            before.map { $0[language] } + ["\(action.label[language]):\n\(action.link)"] + after.map { $0[language] }
        if let optOut { paragraphs.append("\(Self.stop[language]):\n\(optOut)") }
        return paragraphs.joined(separator: "\n\n") + "\n\n-- \n\(Localized.anthill[language])\n"
    }

    static let stop = Localized(ko: "이 메일 그만 받기", en: "Stop this email")
}
