import API
import Accounts
import HTTP
import Time

/// A group's room of today and its calendar over HTTP.
struct RoomRoutes: Sendable {
    let rooms: RoomStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/groups/{id}/today", access: .member, query: ["limit"], today),
            gate.user(.get, "/api/v1/groups/{id}/days", access: .member, query: ["month"], days),
        ]
    }

    private func today(_ request: Request, _ caller: Caller) async throws -> Response {
        let limit = try request.firstPage().limit
        return try .json(
            await rooms.room(of: request.uuid("id"), for: caller.uid, limit: limit, at: caller.position))
    }

    private func days(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(
            await rooms.month(request.month(), of: request.uuid("id"), for: caller.uid, at: caller.position))
    }
}
