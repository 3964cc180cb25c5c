import HTTP

/// The one shape all mails have: some words, one thing to do, some more words.
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

    package init(subject: Localized, before: [Localized], action: Action, after: [Localized]) {
        self.subject = subject
        self.before = before
        self.action = action
        self.after = after
    }

    package func message(to: Mailbox, in language: Language) -> Message {
        Message(
            to: to, subject: subject[language], text: text(in: language), html: html(in: language), link: action.link)
    }

    private func text(in language: Language) -> String {
        let paragraphs =
            before.map { $0[language] } + ["\(action.label[language]):\n\(action.link)"] + after.map { $0[language] }
        return paragraphs.joined(separator: "\n\n") + "\n\n-- \n\(Self.name[language])\n"
    }

    // Mail programs drop <style>, so the few styles there are stand on the elements.
    private func html(in language: Language) -> String {
        let link = action.link.escapedForHTML
        return """
            <!doctype html>
            <html lang="\(language)">
            <head><meta charset="utf-8"><title>\(subject[language].escapedForHTML)</title></head>
            <body style="margin:0;padding:24px 16px;background:#faf5e9;color:#2b2118;font:16px/1.5 sans-serif;\
            word-break:keep-all">
            <div style="max-width:32em;margin:0 auto;padding:24px;background:#fffdf7;border-radius:18px">
            <h1 style="margin:0 0 16px;font-size:22px">\(subject[language].escapedForHTML)</h1>
            \(paragraphs(before, language))
            <p style="margin:24px 0"><a href="\(link)" style="display:inline-block;padding:12px 20px;\
            background:#2f6b3a;color:#ffffff;font-weight:bold;text-decoration:none;border-radius:15px">\
            \(action.label[language].escapedForHTML)</a></p>
            <p style="margin:0 0 16px;font-size:14px;word-break:break-all"><a href="\(link)" style="color:#2a6335">\
            \(link)</a></p>
            \(paragraphs(after, language))
            <p style="margin:24px 0 0;font-size:14px;color:#5a4b3c">\(Self.name[language])</p>
            </div>
            </body>
            </html>

            """
    }

    private func paragraphs(_ texts: [Localized], _ language: Language) -> String {
        texts.map { "<p style=\"margin:0 0 16px\">\($0[language].escapedForHTML)</p>" }.joined(separator: "\n")
    }

    private static let name = Localized(ko: "공부 개미", en: "Anthill")
}

extension String {
    /// Safe as HTML text and inside a quoted attribute.
    var escapedForHTML: String {
        var result = ""
        for character in unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
