import Accounts
import HTTP
import Postgres

/// Boards over HTTP.
package struct RankingRoutes: Sendable {
    private let gate: Gate
    private let boards: BoardStore

    package init(database: Database, gate: Gate) {
        self.gate = gate
        boards = BoardStore(database: database)
    }

    package var routes: [Route] {
        [gate.user(.get, "/api/v1/groups/{id}/leaderboard", access: .member, leaderboard)]
    }

    private func leaderboard(_ request: Request, _ caller: Caller) async throws -> Response {
        let period = try Period(length: request.query["period"], at: request.query["at"])
        let board = try await boards.board(of: request.uuid("id"), period, for: caller.uid, request.paging())
        return Response(headers: ["Content-Type": "application/json"], body: .bytes(board.json))
    }
}
