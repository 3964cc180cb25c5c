import Foundation

/// Files in memory, with every answer made in advance. Each is at its own path; some are also at an address that contains
/// a digest of their content, packed, and kept there by browsers for ever.
package struct StaticFiles: Sendable {
    /// Why a file cannot be served.
    package struct Unreadable: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// By the path in the folder, such as `art/favicon.svg`.
    private var contents: [String: [UInt8]] = [:]
    /// The files that have an address of their content.
    private var kept: [String: KeptFile] = [:]

    /// Reads every file below `folder` except hidden ones.
    package init(folder: URL) throws {
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
            contents[name] = Array(try Data(contentsOf: file))
        }
    }

    /// The paths of all files.
    package var names: [String] { contents.keys.sorted() }

    /// What is in a file.
    package func text(of name: String) throws -> String {
        String(decoding: try content(of: name), as: UTF8.self)
    }

    /// Serves a text like a file of that path.
    package mutating func add(_ name: String, _ text: String) {
        contents[name] = Array(text.utf8)
    }

    /// Where browsers keep this file for ever: another content has another address.
    package mutating func address(of name: String) throws -> String {
        let file = try kept[name] ?? KeptFile(content(of: name), type: Self.mediaType(name))
        kept[name] = file
        return "/assets/\(file.digest)/\(name)"
    }

    private func content(of name: String) throws -> [UInt8] {
        guard let content = contents[name] else { throw Unreadable(description: "there is no \(name) to serve") }
        return content
    }

    /// What they are counted under, with the pages: they are many, and none costs much.
    package static let counted = "files"

    /// A route for each file at its own path, and one for each kept file. An outdated digest in an address answers the
    /// current content, which browsers do not keep: the page may have been loaded before an update.
    package var routes: [Route] {
        contents.sorted { $0.key < $1.key }.flatMap { name, content in
            let now = Response.file(content, type: Self.mediaType(name), isShared: true)
            let own = Route(.get, "/\(name)", query: nil, countedAs: Self.counted) { _ in now }
            guard let file = kept[name] else { return [own] }
            let lasting = Route(.get, "/assets/{digest}/\(name)", query: nil, countedAs: Self.counted) { request in
                request.parameter("digest") == file.digest ? file.answer(to: request) : now
            }
            return [own, lasting]
        }
    }

    /// The media type by the name's extension.
    private static func mediaType(_ name: String) -> String {
        switch name.split(separator: ".").last.map(String.init) {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "txt", "py": "text/plain; charset=utf-8"
        case "png": "image/png"
        case "webp": "image/webp"
        default: "application/octet-stream"
        }
    }
}

/// A file that browsers keep for ever, as it is and packed.
private struct KeptFile: Sendable {
    let digest: String
    private let plain: Response
    private let packed: [(coding: ContentCoding, response: Response)]

    init(_ content: [UInt8], type: String) {
        func lasting(_ bytes: [UInt8], _ coding: ContentCoding?) -> Response {
            var response = Response.file(bytes, type: type, isShared: true)
            response.headers.set("Cache-Control", "public, max-age=31536000, immutable")
            response.headers.add("Vary", "Accept-Encoding")
            if let coding { response.headers.add("Content-Encoding", coding.rawValue) }
            return response
        }
        digest = String(ContentTag.of(content).dropFirst().dropLast())
        plain = lasting(content, nil)
        packed = ContentCoding.allCases.compactMap { coding in
            coding.pack(content).map { (coding, lasting($0, coding)) }
        }
    }

    func answer(to request: Request) -> Response {
        packed.first { request.accepts($0.coding) }?.response ?? plain
    }
}

extension Response {
    /// A page, or a file that pages load. It may load only what is ours, and is asked for anew each time.
    /// `isShared`: whether this content stays in memory.
    package static func file(_ content: [UInt8], type: String, isShared: Bool = false) -> Response {
        var response = Response(
            headers: [
                "Content-Type": type,
                "ETag": ContentTag.of(content),
                "Cache-Control": "no-cache",
                "Content-Security-Policy":
                    "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
            ], body: .bytes(content))
        response.isShared = isShared
        return response
    }
}
