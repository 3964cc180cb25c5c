import API
import Accounts
import HTTP

/// How a badge is drawn.
struct BadgeLook {
    /// The query parameters it is read from; a new `now` makes an address that no cache knows.
    static let parameters: Set<String> = ["locale", "theme", "now"]

    let language: Language
    let theme: Theme
    /// Whether the viewer's browser chose the language.
    private let isViewers: Bool

    init(_ request: Request) throws {
        let locale = try request.query["locale"].map { text in
            guard let language = Language(rawValue: text) else { throw Refusal.accounts.unknownLocale }
            return language
        }
        theme = try request.query["theme"].map { try Theme(named: $0) } ?? .system
        (language, isViewers) = (locale ?? request.language, locale == nil)
    }

    /// The picture as an answer that any page may show and frame.
    func response(_ picture: BadgePicture) -> Response {
        var response = Response.text(picture.svg, type: "image/svg+xml; charset=utf-8")
        response.headers.set("Cache-Control", "public, max-age=60")
        response.headers.set(
            "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors *")
        response.headers.set("Cross-Origin-Resource-Policy", "cross-origin")
        if isViewers { response.headers.set("Vary", "Accept-Language") }
        return response
    }
}
