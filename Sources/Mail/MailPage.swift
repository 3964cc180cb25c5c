import API
import HTTP

/// The HTML of the mail folder, without any style or script of its own.
struct MailPage {
    let language: Language

    func list(_ messages: [StoredMessage]) -> String {
        let title = Localized(ko: "모아 둔 메일", en: "Kept mail")[language]
        let empty = Localized(ko: "아직 메일이 없어요.", en: "No mail yet.")[language]
        let items = messages.map { message in
            """
            <li><div class="l"><a href="/dev/mail/\(message.name.escapedForHTML)"><b>\(message.subject.escapedForHTML)</b></a>
            <span class="hint"><bdi>\(message.to.escapedForHTML)</bdi> · \(message.date.escapedForHTML)</span></div></li>
            """
        }
        return page(
            title,
            """
            <div class="head"><div><h1>\(title)</h1>
            <p class="muted">\(explanation)</p></div></div>
            <section class="card">
            \(messages.isEmpty ? "<p>\(empty)</p>" : "<ul class=\"set\">\n\(items.joined(separator: "\n"))\n</ul>")
            </section>
            """)
    }

    func message(_ message: StoredMessage) -> String {
        let back = Localized(ko: "모든 메일", en: "All mail")[language]
        let paragraphs = message.text.split(separator: "\n\n").map { paragraph in
            "<p>\(paragraph.split(separator: "\n").map { line(String($0)) }.joined(separator: "<br>"))</p>"
        }
        return page(
            message.subject.escapedForHTML,
            """
            <div class="head"><div><p class="small"><a href="/dev/mail">\(back)</a></p>
            <h1>\(message.subject.escapedForHTML)</h1>
            <p class="muted"><bdi>\(message.to.escapedForHTML)</bdi> · \(message.date.escapedForHTML)</p></div></div>
            <section class="card form">
            \(paragraphs.joined(separator: "\n"))
            </section>
            """)
    }

    private var explanation: String {
        Localized(
            ko: "메일 서버를 정하지 않아서, 메일을 보내는 대신 여기에 모아 두었어요. 이 컴퓨터에서만 보여요.",
            en: "No mail server is set, so mail is kept here instead of being sent. Only this computer can see it.")[
                language]
    }

    /// A line of a mail, its addresses as links.
    private func line(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let word = String(word).escapedForHTML
            return word.hasPrefix("http://") || word.hasPrefix("https://") ? "<a href=\"\(word)\">\(word)</a>" : word
        }.joined(separator: " ")
    }

    private func page(_ title: String, _ content: String) -> String {
        let name = Localized.anthill[language]
        let skip = Localized(ko: "본문으로 건너뛰기", en: "Skip to content")[language]
        return """
            <!doctype html>
            <html lang="\(language)">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <title>\(title) · \(name)</title>
            <link rel="icon" href="/art/favicon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/css/tokens.css">
            <link rel="stylesheet" href="/css/anthill.css">
            <body>
            <a class="skip" href="#main">\(skip)</a>
            <header class="top"><div class="wrap"><a class="brand" href="/">\
            <svg aria-hidden="true"><use href="/art/sprite.svg#mark"/></svg><span>\(name)</span></a></div></header>
            <main class="wrap" id="main">
            \(content)
            </main>
            </body>
            </html>

            """
    }
}
