import Accounts
import HTTP

/// How a browser wants its pages.
struct Look: Sendable {
    let language: Language
    let theme: Theme
}

extension Request {
    /// The language and the theme that the browser had last, or the language that a link of ours chooses.
    var look: Look {
        let chosen = query["language"] ?? cookie("language")
        let theme = cookie("theme").flatMap(Theme.init(rawValue:)) ?? .system
        return Look(language: chosen.flatMap(Language.init) ?? language, theme: theme)
    }
}

extension Response {
    /// The same answer, with the language that a link of ours chose remembered for all pages.
    func remembering(_ look: Look, of request: Request) -> Response {
        guard request.query["language"] != nil else { return self }
        var response = self
        response.headers.add(
            "Set-Cookie", "language=\(look.language.rawValue); Path=/; SameSite=Lax; Max-Age=31536000")
        return response
    }
}
