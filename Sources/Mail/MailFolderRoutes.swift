import API
import HTTP

/// The mail folder in a browser, to try Anthill on one's own machine; requests from elsewhere get `404`.
package struct MailFolderRoutes: Sendable {
    private let folder: MailFolder

    package init(folder: MailFolder) { self.folder = folder }

    package var routes: [Endpoint] {
        [
            .local(.get, "/dev/mail", list),
            .local(.get, "/dev/mail/{name}", show),
        ]
    }

    private func list(_ request: Request) async throws -> Response {
        let messages = try folder.names().prefix(100).compactMap(folder.read)
        return .page(MailPage(language: request.language).list(messages))
    }

    private func show(_ request: Request) async throws -> Response {
        guard let message = folder.read(request.parameter("name")) else { throw Problem.notFound }
        return .page(MailPage(language: request.language).message(message))
    }
}

extension Response {
    /// A page with links that are secrets: kept by nobody, and nothing but our own files runs on it.
    fileprivate static func page(_ html: String) -> Response {
        var response = Response.text(html, type: "text/html; charset=utf-8").notStored()
        response.headers.set(
            "Content-Security-Policy",
            "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'")
        response.headers.set("Referrer-Policy", "no-referrer")
        return response
    }
}
