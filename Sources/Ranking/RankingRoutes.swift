import API
import Accounts
import HTTP
import Postgres
import Time

/// Boards over HTTP.
package struct RankingRoutes: Sendable {
    private let gate: Gate
    let boards: BoardStore
    private let globalBoard: GlobalBoardStore
    private let groupsBoard: GroupsBoardStore
    private let table: BoardTable
    private let explanations: ExplanationStore
    private let noteworthy: SignalsStore
    private let standings: StandingsRoutes
    private let badges: BadgeStore
    package let live: LiveBoards

    /// `roundFailed` learns why live boards could not be sent; the next round makes up for it. `largePast`: above so many
    /// members a group's past boards are computed one at a time.
    package init(
        database: Database, gate: Gate, badges: BadgeStore? = nil, largePast: Int = 500,
        rhythm: LiveBoards.Rhythm = .init(), roundFailed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.gate = gate
        self.badges = badges ?? BadgeStore(database: database)
        boards = BoardStore(database: database, changes: gate.changes, large: largePast)
        live = LiveBoards(
            database: database, changes: gate.changes, boards: boards, rhythm: rhythm, failed: roundFailed)
        globalBoard = GlobalBoardStore(database: database, changes: gate.changes)
        groupsBoard = GroupsBoardStore(database: database, changes: gate.changes)
        table = BoardTable(boards: boards)
        explanations = ExplanationStore(database: database)
        noteworthy = SignalsStore(database: database)
        standings = StandingsRoutes(standings: StandingsStore(database: database), gate: gate)
    }

    package var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/leaderboard", query: Self.page, leaderboardOfEveryone),
            gate.user(.get, "/api/v1/leaderboard/groups", query: Self.page, leaderboardOfGroups),
            gate.user(
                .get, "/api/v1/groups/{id}/leaderboard", access: .member, query: Self.page.union(["order", "as_of"]),
                leaderboard),
            gate.user(
                .get, "/api/v1/groups/{id}/leaderboard/stream", access: .member,
                query: Period.parameters.union(["order", "limit"]), stream),
            gate.user(
                .get, "/api/v1/groups/{id}/leaderboard.csv", access: .member, query: Period.parameters.union(["order"]),
                csv),
            gate.anyone(.get, "/api/v1/groups/{id}/badge.svg", query: ["locale", "theme", "now"], badge),
            // Oneself as any member; others as an admin.
            gate.user(
                .get, "/api/v1/groups/{id}/leaderboard/explanation", access: .member,
                query: Period.parameters.union(["uid"]), explanation),
            gate.user(
                .get, "/api/v1/groups/{id}/signals", access: .admin, query: Paging.parameters.union(["month"]), signals),
        ] + standings.routes
    }

    /// What boards of several pages read.
    private static let page = Period.parameters.union(Paging.parameters)

    private func leaderboard(_ request: Request, _ caller: Caller) async throws -> Response {
        let query = request.query
        let period = try Period(length: query["period"], at: query["at"], asOf: query["as_of"])
        let asked = try BoardRequest(request, caller, period, request.paging())
        return .writtenJSON(try await boards.page(asked, at: caller.position).json)
    }

    private func leaderboardOfEveryone(_ request: Request, _ caller: Caller) async throws -> Response {
        let month = try Period.month(length: request.query["period"], at: request.query["at"])
        return .writtenJSON(try await globalBoard.board(in: month, for: caller, request.paging()).json)
    }

    private func leaderboardOfGroups(_ request: Request, _ caller: Caller) async throws -> Response {
        let month = try Period.month(length: request.query["period"], at: request.query["at"])
        return try .json(await groupsBoard.board(in: month, for: caller, request.paging()))
    }

    /// Boards of one page only, so that one always fits into what a stream keeps for a slow reader.
    private func stream(_ request: Request, _ caller: Caller) async throws -> Response {
        let period = try Period(length: request.query["period"], at: request.query["at"])
        let asked = try BoardRequest(request, caller, period, request.firstPage())
        guard request.method == .get else { return Response(headers: Self.streamHeaders) }
        let stream = try await live.watch(asked, by: caller, lastID: request.headers["Last-Event-ID"])
        return Response(headers: Self.streamHeaders, body: .stream(stream))
    }

    /// Without the last one, a proxy in front may keep events until it has a buffer full of them.
    private static let streamHeaders: Headers = [
        "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
    ]

    private func csv(_ request: Request, _ caller: Caller) async throws -> Response {
        let period = try Period(length: request.query["period"], at: request.query["at"])
        let (name, text) = try await table.csv(BoardRequest(request, caller, period, nil), at: caller.position)
        var response = Response.text(text, type: "text/csv; charset=utf-8")
        response.headers.set("Content-Disposition", "attachment; filename=\"\(name)\"")
        return response.notStored()
    }

    /// The only answer that may be framed, and by any page.
    private func badge(_ request: Request) async throws -> Response {
        let locale = try request.query["locale"].map { text in
            guard let language = Language(rawValue: text) else { throw Refusal.accounts.unknownLocale }
            return language
        }
        guard let theme = Badge.Theme(rawValue: request.query["theme"] ?? Badge.Theme.system.rawValue) else {
            throw Refusal.accounts.unknownTheme
        }
        let badge = try await badges.badge(of: request.uuid("id"))
        let picture = BadgePicture(badge: badge, language: locale ?? request.language, theme: theme)
        var response = Response.text(picture.svg, type: "image/svg+xml; charset=utf-8")
        response.headers.set("Cache-Control", "public, max-age=60")
        response.headers.set(
            "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors *")
        response.headers.set("Cross-Origin-Resource-Policy", "cross-origin")
        if locale == nil { response.headers.set("Vary", "Accept-Language") }
        return response
    }

    private func explanation(_ request: Request, _ caller: Caller) async throws -> Response {
        let period = try Period(length: request.query["period"], at: request.query["at"])
        let whose = try request.query["uid"].map { text in
            guard let uid = ID(text) else { throw Problem.invalidQuery }
            return uid
        }
        return try .json(
            await explanations.explanation(of: request.uuid("id"), period, for: caller.uid, whose: whose))
    }

    private func signals(_ request: Request, _ caller: Caller) async throws -> Response {
        let month = try request.query["month"].map { text in
            guard let month = Day(month: text) else { throw Refusal.ranking.invalidMonth }
            return month
        }
        return try .json(
            await noteworthy.signals(of: request.uuid("id"), month, for: caller.uid, request.paging()))
    }
}
