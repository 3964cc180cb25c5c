import API
import Accounts
import HTTP

/// What members do together in a group: its notice, its cycle and cheers.
struct LifeRoutes: Sendable {
    let life: LifeStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.put, "/api/v1/groups/{id}/notice", access: .admin, writeNotice),
            gate.user(.delete, "/api/v1/groups/{id}/notice", access: .admin, removeNotice),
            gate.user(.put, "/api/v1/groups/{id}/cycle", access: .admin, setCycle),
            gate.user(.delete, "/api/v1/groups/{id}/cycle", access: .admin, endCycle),
            gate.user(.post, "/api/v1/groups/{id}/cheers", access: .member, cheer),
        ]
    }

    private func writeNotice(_ request: Request, _ caller: Caller) async throws -> Response {
        let text = try GroupText.notice(request.json("text").string("text"))
        try await life.setNotice(text, of: request.uuid("id"), by: caller.uid)
        return .noContent
    }

    private func removeNotice(_ request: Request, _ caller: Caller) async throws -> Response {
        try await life.setNotice(nil, of: request.uuid("id"), by: caller.uid)
        return .noContent
    }

    private func setCycle(_ request: Request, _ caller: Caller) async throws -> Response {
        let cycle = try WantedCycle(request.json(WantedCycle.names))
        try await life.setCycle(cycle, of: request.uuid("id"), by: caller.uid)
        return .noContent
    }

    private func endCycle(_ request: Request, _ caller: Caller) async throws -> Response {
        try await life.setCycle(nil, of: request.uuid("id"), by: caller.uid)
        return .noContent
    }

    private func cheer(_ request: Request, _ caller: Caller) async throws -> Response {
        let member = try request.json("uid").uuid("uid")
        try await life.cheer(member, in: request.uuid("id"), by: caller.uid)
        return .noContent
    }
}
