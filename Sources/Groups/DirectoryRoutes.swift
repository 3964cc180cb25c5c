import API
import Accounts
import HTTP

/// Finding a listed group, asking to join it, and answering.
struct DirectoryRoutes: Sendable {
    let directory: DirectoryStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/directory", query: Paging.parameters.union(["q"]), mayLag: Gate.always, find),
            gate.user(.post, "/api/v1/groups/{id}/join-requests", ask),
            gate.user(
                .get, "/api/v1/groups/{id}/join-requests", access: .admin, query: Paging.parameters, openRequests),
            gate.user(.put, "/api/v1/groups/{id}/join-requests/{request}/answer", access: .admin, answer),
            gate.user(.get, "/api/v1/me/join-requests", query: Paging.parameters, own),
            gate.user(.get, "/api/v1/me/join-requests/{request}", show),
            gate.user(.delete, "/api/v1/me/join-requests/{request}", withdraw),
        ]
    }

    private func find(_ request: Request, _ caller: Caller) async throws -> Response {
        let words = GroupText.searchTerm(request.query["q"] ?? "")
        return try .json(await directory.find(words, for: caller.uid, request.paging()))
    }

    private func ask(_ request: Request, _ caller: Caller) async throws -> Response {
        let words = try request.json("text").optionalString("text").flatMap(GroupText.joinWords)
        let id = try await directory.ask(to: request.uuid("id"), by: caller.uid, words)
        return try .created(await directory.request(id, of: caller.uid), at: "/api/v1/me/join-requests/\(id)")
    }

    private func openRequests(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await directory.open(in: request.uuid("id"), for: caller.uid, request.paging()))
    }

    private func answer(_ request: Request, _ caller: Caller) async throws -> Response {
        let accepts = try request.json("accepted").bool("accepted")
        try await directory.answer(
            request.uuid("request"), in: request.uuid("id"), by: caller.uid, accepts: accepts)
        return .noContent
    }

    private func own(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await directory.requests(of: caller.uid, request.paging()))
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await directory.request(request.uuid("request"), of: caller.uid))
    }

    private func withdraw(_ request: Request, _ caller: Caller) async throws -> Response {
        try await directory.withdraw(request.uuid("request"), by: caller.uid)
        return .noContent
    }
}
