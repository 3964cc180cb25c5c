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
    private let rooms: RoomRoutes
    private let members: MemberProfileRoutes
    private let badges: BadgeStore
    private let publicBoards: PublicBoards
    package let live: LiveBoards

    /// What anybody may ask is remembered for `life`. `roundFailed` learns why live boards could not be sent; the next
    /// round makes up for it. The past boards of groups with more than `largePast` members are computed one at a time.
    package init(
        database: Database, gate: Gate, remembering life: Duration = .seconds(10),
        largePast: Int = 500,
        rhythm: LiveBoards.Rhythm = .init(), roundFailed: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.gate = gate
        badges = BadgeStore(database: database, remembering: life)
        boards = BoardStore(database: database, changes: gate.changes, large: largePast)
        publicBoards = PublicBoards(database: database, boards: boards, remembering: life)
        globalBoard = GlobalBoardStore(database: database, changes: gate.changes)
        live = LiveBoards(
            database: database, changes: gate.changes, boards: boards, everyone: globalBoard, rhythm: rhythm,
            failed: roundFailed)
        groupsBoard = GroupsBoardStore(database: database, changes: gate.changes)
        table = BoardTable(boards: boards)
        explanations = ExplanationStore(database: database)
        noteworthy = SignalsStore(database: database)
        standings = StandingsRoutes(standings: StandingsStore(database: database), gate: gate)
        rooms = RoomRoutes(rooms: RoomStore(database: database, changes: gate.changes), gate: gate)
        members = MemberProfileRoutes(profiles: MemberProfileStore(database: database), gate: gate)
    }

    package var routes: [Endpoint] {
        [
            gate.user(
                .get, "/api/v1/leaderboard", query: Self.page.union(["as_of"]), mayLag: Self.isOfPast,
                leaderboardOfEveryone),
            gate.user(
                .get, "/api/v1/leaderboard/stream", query: Period.parameters.union(["limit"]), streamOfEveryone),
            gate.user(.get, "/api/v1/leaderboard/explanation", query: Period.parameters, explanationOfEveryone),
            gate.user(.get, "/api/v1/leaderboard/groups", query: Self.page, leaderboardOfGroups),
            gate.user(
                .get, "/api/v1/groups/{id}/leaderboard", access: .member, query: Self.page.union(["order", "as_of"]),
                mayLag: { $0.query["as_of"] != nil || Self.isOfPast($0, $1) }, leaderboard),
            gate.user(
                .get, "/api/v1/groups/{id}/leaderboard/stream", access: .member,
                query: Period.parameters.union(["order", "limit"]), stream),
            gate.user(
                .get, "/api/v1/groups/{id}/leaderboard.csv", access: .member, query: Period.parameters.union(["order"]),
                mayLag: Gate.always, csv),
            gate.anyone(.get, "/api/v1/groups/{id}/badge.svg", query: BadgeLook.parameters, mayLag: true, badge),
            gate.anyone(.get, "/api/v1/groups/{id}/public-leaderboard", mayLag: true, publicBoard),
            // Members see their own explanation; admins see everybody's.
            gate.user(
                .get, "/api/v1/groups/{id}/leaderboard/explanation", access: .member,
                query: Period.parameters.union(["uid"]), explanation),
            gate.user(
                .get, "/api/v1/groups/{id}/signals", access: .admin, query: Paging.parameters.union(["month"]), signals),
        ] + standings.routes + rooms.routes + members.routes
    }

    /// What boards of several pages read.
    private static let page = Period.parameters.union(Paging.parameters)

    /// Whether it asks for a period that has been over for days.
    @Sendable private static func isOfPast(_ request: Request, _ caller: Caller) -> Bool {
        let period = try? Period(length: request.query["period"], at: request.query["at"])
        return period?.isOver(at: caller.position.time) ?? false
    }

    private func leaderboard(_ request: Request, _ caller: Caller) async throws -> Response {
        let query = request.query
        let period = try Period(length: query["period"], at: query["at"], asOf: query["as_of"])
        let asked = try BoardRequest(request, caller, period, request.paging())
        return try await boards.page(asked, at: caller.position).response(to: request)
    }

    private func leaderboardOfEveryone(_ request: Request, _ caller: Caller) async throws -> Response {
        if request.query["as_of"] != nil { throw Refusal.ranking.noPastOfEveryone }
        let period = try Period(length: request.query["period"], at: request.query["at"])
        let board = try await globalBoard.board(in: period, for: caller.uid, at: caller.position, request.paging())
        return board.response(to: request)
    }

    private func leaderboardOfGroups(_ request: Request, _ caller: Caller) async throws -> Response {
        let month = try Period.month(length: request.query["period"], at: request.query["at"])
        return try .json(await groupsBoard.board(in: month, for: caller, request.paging()))
    }

    /// Boards of one page only, so that one always fits into what a stream keeps for a slow reader.
    private func stream(_ request: Request, _ caller: Caller) async throws -> Response {
        let period = try Period(length: request.query["period"], at: request.query["at"])
        let asked = try BoardRequest(request, caller, period, request.firstPage())
        guard request.method == .get else {
            _ = try await boards.page(asked, at: caller.position)
            return Response(headers: Self.streamHeaders)
        }
        let stream = try await live.watch(asked, by: caller, lastID: request.headers["Last-Event-ID"])
        return Response(headers: Self.streamHeaders, body: .stream(stream))
    }

    private func streamOfEveryone(_ request: Request, _ caller: Caller) async throws -> Response {
        let period = try Period(length: request.query["period"], at: request.query["at"])
        let paging = try request.firstPage()
        guard request.method == .get else { return Response(headers: Self.streamHeaders) }
        let stream = try await live.everyone.watch(period, by: caller, paging)
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

    private func publicBoard(_ request: Request) async throws -> Response {
        try .json(await publicBoards.board(of: request.uuid("id")))
    }

    private func badge(_ request: Request) async throws -> Response {
        let look = try BadgeLook(request)
        return look.response(BadgePicture(try await badges.badge(of: request.uuid("id")), look))
    }

    private func explanation(_ request: Request, _ caller: Caller) async throws -> Response {
        let period = try Period(length: request.query["period"], at: request.query["at"])
        let whose = try request.query["uid"].map { text in
            guard let uid = ID(text) else { throw Problem.invalidQuery("uid") }
            // Only admins see others' explanations, and a key does nothing that admins do.
            if uid != caller.uid, caller.isKey { throw Refusal.accounts.keyNotAllowed }
            return uid
        }
        return try .json(
            await explanations.explanation(of: request.uuid("id"), period, for: caller.uid, whose: whose))
    }

    private func explanationOfEveryone(_ request: Request, _ caller: Caller) async throws -> Response {
        let period = try Period(length: request.query["period"], at: request.query["at"])
        return try .json(await explanations.explanation(ofEveryoneIn: period, for: caller.uid))
    }

    private func signals(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(
            await noteworthy.signals(
                of: request.uuid("id"), request.month(), for: caller.uid, request.paging()))
    }
}
