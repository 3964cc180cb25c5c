import API
import Accounts
import HTTP

/// What the documents of all pages have in common.
struct PageShell: Sendable {
    /// The addresses of what every document loads.
    let icon: String
    let touchIcon: String
    let styles: String
    /// The whole address of the picture that stands for a page elsewhere.
    let picture: String

    static let description = Localized(
        ko: "함께 공부하는 사람들을 위한 타이머와 순위예요.", en: "A timer and a board for people who study together.")

    /// What chats and other sites show of a link to a page with this title.
    func preview(_ title: String, _ language: Language) -> Markup {
        """
        <meta property="og:title" content="\(title)">
        <meta property="og:description" content="\(Self.description[language])">
        <meta property="og:image" content="\(picture)">
        <meta property="og:site_name" content="\(Localized.anthill[language])">
        <meta property="og:type" content="website">
        <meta name="twitter:card" content="summary">
        """
    }

    /// A document, with more in its head than all have. Without a title of its own it has the name of the service.
    func document(_ look: Look, title: String? = nil, head: Markup = "", body: Markup) -> Response {
        let theme: Markup = look.theme == .system ? "" : " data-theme=\"\(look.theme.rawValue)\""
        let document: Markup = """
            <!doctype html>
            <html lang="\(look.language.rawValue)"\(theme)>
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
            <title>\(title ?? Localized.anthill[look.language])</title>
            <meta name="description" content="\(Self.description[look.language])">
            <link rel="icon" href="\(icon)" type="image/svg+xml">
            <link rel="apple-touch-icon" href="\(touchIcon)">
            \(Markup(html: Manifest.links(theme: look.theme)))
            <link rel="stylesheet" href="\(styles)">
            \(head)
            </head>
            <body>
            \(body)
            </body>
            </html>

            """
        var response = Response.file(Array(document.html.utf8), type: "text/html; charset=utf-8")
        response.headers.set("Cache-Control", "private, no-cache")
        return response
    }
}
