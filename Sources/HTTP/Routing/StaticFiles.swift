import Foundation

/// A folder of pages, scripts, styles and pictures, read into memory once, with every answer made in advance.
package struct StaticFiles: Sendable {
    /// Why the folder cannot be served.
    package struct Unreadable: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// By the path in the folder, such as `art/ant.svg`.
    private var responses: [String: Response] = [:]

    /// Reads every file below `folder` except hidden ones. The texts in `made` are served like files, by their paths.
    package init(folder: URL, made: [String: String] = [:]) throws {
        guard (try? folder.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true,
            let names = FileManager.default.enumerator(atPath: folder.path)
        else {
            throw Unreadable(description: "\(folder.path) is not a folder that can be read")
        }
        for case let name as String in names {
            let file = folder.appending(path: name)
            guard !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }),
                try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            else { continue }
            responses[name] = Self.response(Array(try Data(contentsOf: file)), name: name)
        }
        for (name, text) in made { responses[name] = Self.response(Array(text.utf8), name: name) }
    }

    /// A `GET` route for each file: `X.html` at `/X`, `index.html` at its folder, any other at its own path.
    package var routes: [Route] {
        responses.sorted { $0.key < $1.key }.map { name, response in
            Route(.get, Self.pattern(name), query: nil) { _ in response }
        }
    }

    /// A route that answers `pattern` with the page in `name`, such as `/groups/{id}` with `group.html`.
    package func route(_ pattern: String, page name: String) throws -> Route {
        let response = try page(name)
        return Route(.get, pattern, query: nil) { _ in response }
    }

    /// The answer that holds this file.
    package func page(_ name: String) throws -> Response {
        guard let response = responses[name] else { throw Unreadable(description: "there is no \(name) to serve") }
        return response
    }

    private static func pattern(_ name: String) -> String {
        guard name.hasSuffix(".html") else { return "/" + name }
        let page = name.dropLast(".html".count)
        if page == "index" { return "/" }
        return "/" + (page.hasSuffix("/index") ? page.dropLast("/index".count) : page)
    }

    private static func response(_ bytes: [UInt8], name: String) -> Response {
        let (type, isAsset) = mediaType(name)
        return Response(
            headers: [
                "Content-Type": type,
                "ETag": ContentTag.of(bytes),
                "Cache-Control": isAsset ? "max-age=86400" : "no-cache",
                "Content-Security-Policy":
                    "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
            ], body: .bytes(bytes))
    }

    /// The media type by the name's extension, and whether browsers may keep the file for a day.
    private static func mediaType(_ name: String) -> (type: String, isAsset: Bool) {
        switch name.split(separator: ".").last.map(String.init) {
        case "html": ("text/html; charset=utf-8", false)
        case "css": ("text/css; charset=utf-8", false)
        case "js", "mjs": ("text/javascript; charset=utf-8", false)
        case "json", "map": ("application/json", false)
        case "webmanifest": ("application/manifest+json", false)
        case "svg": ("image/svg+xml", false)
        case "txt": ("text/plain; charset=utf-8", false)
        case "png": ("image/png", true)
        case "jpg", "jpeg": ("image/jpeg", true)
        case "webp": ("image/webp", true)
        case "ico": ("image/vnd.microsoft.icon", true)
        case "woff2": ("font/woff2", true)
        default: ("application/octet-stream", false)
        }
    }
}
