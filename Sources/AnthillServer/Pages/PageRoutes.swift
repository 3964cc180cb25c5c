import API
import Accounts
import Foundation
import HTTP
import Postgres

/// The web app's pages and files and the API's description, from memory; they tell the numbers of the rules.
struct PageRoutes {
    private(set) var routes: [Endpoint] = []
    private let app: WebApp
    private let gate: Gate
    private let api: Router

    /// Serves the files of `web`, and a page for each script in its folder `pages`. Throws if the program's resources
    /// are not beside it, or name a number of the rules that does not exist. The gate knows who is signed in; `api`
    /// answers what pages ask first. `site` is the address of the service.
    init(_ gate: Gate, site: String, api: Router, web: URL? = nil) throws {
        let numbers = RuleNumbers.current
        self.gate = gate
        self.api = api
        app = try WebApp(
            folder: web ?? PageRoutes.resource("Web"), documents: PageRoutes.resource("Documents"), numbers: numbers,
            site: site)
        let description = try numbers.fill(String(contentsOf: PageRoutes.resource("openapi.yaml"), encoding: .utf8))
        var routes = app.files.routes
        for name in app.pages.keys.sorted() { routes.append(try route("/\(name)", page: name)) }
        routes += [
            try route("/groups/{id}", page: "group"),
            try route("/groups/find", page: "find-groups"),
            try route("/groups/{id}/fairness", page: "fairness"),
            try route("/board/groups", page: "board"),
            try route("/admin/{part}", page: "admin"),
            try invitation(),
            try route("/unsubscribe/{kind}/{token}", page: "unsubscribe"),
            try installing(),
            Route(.get, "/api/v1/openapi.yaml") { _ in
                Response(headers: ["Content-Type": "application/yaml"], body: .bytes(Array(description.utf8)))
            },
        ]
        routes += try WrittenRoutes(app: app, missing: page("404"), gate: gate, api: api).routes()
        self.routes = routes.map { Endpoint(.anyone, $0) }
    }

    /// The page for paths that do not exist.
    func notFound() throws -> @Sendable (Request) -> Response {
        let page = try page("404")
        return { $0.show(page) }
    }

    private func page(_ name: String) throws -> Page {
        guard let page = app.pages[name] else { throw StaticFiles.Unreadable(description: "there is no page \(name)") }
        return page
    }

    private func route(_ pattern: String, page name: String) throws -> Route {
        let (page, gate, api) = (try page(name), gate, api)
        return Route(.get, pattern, query: nil, countedAs: StaticFiles.counted) { request in
            guard !page.asks.isEmpty, await gate.isSignedIn(request) else { return request.show(page) }
            return request.show(page, await request.answers(to: page.asks, by: api))
        }
    }

    /// The page of an invitation. While it works, its title names the group: chats show the titles of links.
    private func invitation() throws -> Route {
        let (page, api) = (try page("join"), api)
        return Route(.get, "/join/{code}", query: nil, countedAs: StaticFiles.counted) { request in
            let code = request.parameter("code")
            guard code.utf8.allSatisfy(Invited.isOfCode) else { return request.show(page) }
            let answers = await request.answers(to: ["/invitations/\(code)"], by: api)
            let group = answers.values.first.flatMap { try? Invited(api: $0) }?.group
            return page.document(
                request.look, answers: answers,
                title: group.map { "\($0.name) · \(Localized.anthill[request.look.language])" })
        }
    }

    /// What a browser reads to install the app, in the language of its pages.
    private func installing() throws -> Route {
        var files = app.files
        let manifest = Localized(ko: try Manifest.text(.ko, &files), en: try Manifest.text(.en, &files))
        return Route(.get, "/manifest.webmanifest", query: nil, countedAs: StaticFiles.counted) { request in
            .file(Array(manifest[request.look.language].utf8), type: "application/manifest+json")
        }
    }

    static func resource(_ name: String) throws -> URL {
        guard let url = Bundle.module.url(forResource: name, withExtension: nil) else {
            throw StaticFiles.Unreadable(description: "the program's resource \(name) is missing beside it")
        }
        return url
    }
}

/// What the API tells of an invitation that works.
private struct Invited: Decodable {
    struct Group: Decodable {
        let name: String
    }

    /// nil for an invitation to the service.
    let group: Group?

    /// Whether a code may contain that; all else would lead to another path.
    static func isOfCode(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension Request {
    /// The page in the language and theme that the browser last had.
    func show(_ page: Page, _ answers: [String: [UInt8]] = [:]) -> Response {
        page.document(look, answers: answers)
    }
}
