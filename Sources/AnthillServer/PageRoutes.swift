import API
import Accounts
import Foundation
import HTTP

/// The web app's pages and files and the API's description, from memory; they tell the numbers of the rules.
struct PageRoutes {
    let routes: [Endpoint]
    /// The page for paths that do not exist.
    let notFound: Response

    /// Serves the files of `web`, and a page for each script in its folder `pages`. Throws when the program's resources
    /// are not beside it, or ask for a number that there is none of. The gate knows who is signed in.
    init(_ gate: Gate, web: URL? = nil) throws {
        let numbers = RuleNumbers.current
        let folder = try web ?? PageRoutes.resource("Web")
        let scripts = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "pages").path)
        var made = PageShell.documents(of: scripts)
        // One file for all pages: each page revalidates a single copy. Most of it is the design's sheets, needed everywhere.
        made["styles.css"] = try PageShell.styles.map { name in
            try String(contentsOf: folder.appending(path: "css/\(name).css"), encoding: .utf8)
        }.joined(separator: "\n")
        made["js/words/numbers.js"] = numbers.script
        let files = try StaticFiles(folder: folder, made: made)
        let description = try numbers.fill(String(contentsOf: PageRoutes.resource("openapi.yaml"), encoding: .utf8))
        notFound = try files.page("404.html")
        let first = try files.page("index.html")
        let routes =
            files.routes.filter { $0.pattern != "/" } + [
                // The first page is for strangers.
                Route(.get, "/", query: nil) { request in await gate.isSignedIn(request) ? .home : first },
                try files.route("/groups/{id}", page: "group.html"),
                try files.route("/groups/{id}/fairness", page: "fairness.html"),
                try files.route("/board/groups", page: "board.html"),
                try files.route("/join/{code}", page: "join.html"),
                try files.route("/unsubscribe/{kind}/{token}", page: "unsubscribe.html"),
                Route(.get, "/api/v1/openapi.yaml") { _ in
                    Response(headers: ["Content-Type": "application/yaml"], body: .bytes(Array(description.utf8)))
                },
            ]
        self.routes = routes.map { Endpoint(.anyone, $0) }
    }

    static func resource(_ name: String) throws -> URL {
        guard let url = Bundle.module.url(forResource: name, withExtension: nil) else {
            throw StaticFiles.Unreadable(description: "the program's resource \(name) is missing beside it")
        }
        return url
    }
}

extension Response {
    fileprivate static let home = Response(Status(303), headers: ["Location": "/home"]).notStored()
}
