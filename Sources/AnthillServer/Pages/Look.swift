import HTTP

/// How a browser wants its pages.
struct Look: Sendable {
    let language: Language
    /// Empty for that of the device.
    let theme: String
}

extension Request {
    /// The language and the theme that the browser had last, or the language that a link of ours chooses.
    var look: Look {
        let chosen = query["language"] ?? cookie("language")
        let theme = cookie("theme").flatMap { ["light", "dark"].contains($0) ? $0 : nil } ?? ""
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
