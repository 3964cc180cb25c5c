import API
import Accounts
import HTTP
import Postgres
import Time

/// The pages that need no script.
struct WrittenRoutes {
    let app: WebApp
    /// The page for what does not exist.
    let missing: Page
    let gate: Gate
    /// Answers what pages tell of closed months.
    let api: Router

    func routes() throws -> [Route] {
        [
            Route(.get, "/", query: nil, first(try page("index"))),
            Route(.get, "/help", query: nil, countedAs: StaticFiles.counted, show(try page("help"))),
            Route(.get, "/groups/{id}/months", query: nil, countedAs: StaticFiles.counted, months),
            Route(.get, "/groups/{id}/months/{month}", query: nil, countedAs: StaticFiles.counted, month),
            Route(.get, "/groups/{id}/embed", query: nil, countedAs: StaticFiles.counted, board),
        ]
    }

    private func page(_ name: String) throws -> WrittenPage {
        guard let page = app.written[name] else {
            throw StaticFiles.Unreadable(description: "there is no page \(name)")
        }
        return page
    }

    /// The first page is for strangers.
    private func first(_ page: WrittenPage) -> @Sendable (Request) async -> Response {
        { [gate] request in
            if await gate.isSignedIn(request) { return .home }
            return page.document(request.look, for: .stranger).remembering(request.look, of: request)
        }
    }

    private func show(_ page: WrittenPage) -> @Sendable (Request) async -> Response {
        { [gate] request in
            let reader = await request.reader(gate)
            return page.document(request.look, for: reader).remembering(request.look, of: request)
        }
    }

    @Sendable private func months(_ request: Request) async throws -> Response {
        let path = ID(request.parameter("id")).map { "/groups/\($0)/public-standings?limit=200" }
        return try await written(request, path) { json, look, reader in
            pages.list(try MonthsAnswer(api: json), look, for: reader)
        }
    }

    @Sendable private func month(_ request: Request) async throws -> Response {
        let (group, month) = (ID(request.parameter("id")), Day(month: request.parameter("month")))
        let path = group.flatMap { group in month.map { "/groups/\(group)/public-standings/\($0.monthText)" } }
        return try await written(request, path) { json, look, reader in
            pages.month(try MonthAnswer(api: json), look, for: reader)
        }
    }

    /// For other websites, and the same for everybody.
    @Sendable private func board(_ request: Request) async throws -> Response {
        let path = ID(request.parameter("id")).map { "/groups/\($0)/public-leaderboard" }
        return try await written(request, path, isKept: false) { json, look, _ in
            BoardPage(shell: app.frame.shell, board: try BoardAnswer(api: json), look: look).document
        }
    }

    private var pages: MonthPages { MonthPages(frame: app.frame) }

    /// A page made from the API's answer at `path`; the page for what does not exist if that is `404`. `isKept`:
    /// whether the browser remembers the language of one of our links.
    private func written(
        _ request: Request, _ path: String?, isKept: Bool = true,
        _ page: ([UInt8], Look, WrittenPage.Reader) throws -> Response
    ) async throws -> Response {
        var answer: Response?
        if let path { answer = await request.response(to: "/api/v1\(path)", by: api) }
        guard let answer, answer.status != .notFound else {
            var response = request.show(missing)
            response.status = .notFound
            return response
        }
        guard answer.status == .ok, let json = answer.body.content else { return answer }
        let response = try await page(json, request.look, request.reader(gate))
        return isKept ? response.remembering(request.look, of: request) : response
    }
}

extension Response {
    fileprivate static let home = Response(Status(303), headers: ["Location": "/home"]).notStored()
}

extension Request {
    fileprivate func reader(_ gate: Gate) async -> WrittenPage.Reader {
        await gate.isSignedIn(self) ? .member(group: cookie("group").flatMap(ID.init)) : .stranger
    }
}
