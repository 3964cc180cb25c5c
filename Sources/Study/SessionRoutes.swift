import Accounts
import Foundation
import HTTP
import Postgres

/// Study as it was recorded: written down by hand, listed, taken back.
struct SessionRoutes: Sendable {
    let sessions: SessionStore
    let gate: Gate

    var routes: [Route] {
        [
            namingOverlaps(of: gate.user(.post, "/api/v1/me/sessions", record)),
            gate.user(.get, "/api/v1/me/sessions", list),
            gate.user(.get, "/api/v1/me/sessions/{id}", show),
            gate.user(.delete, "/api/v1/me/sessions/{id}", retract),
            gate.user(.put, "/api/v1/me/sessions/{id}/end", confirm),
        ]
    }

    private func record(_ request: Request, _ caller: Caller) async throws -> Response {
        let draft = try SessionDraft(request.json(SessionDraft.fields))
        do {
            let session = try await sessions.record(draft, of: caller.uid)
            return try .created(session, at: "/api/v1/me/sessions/\(session.id.uuidString.lowercased())")
        } catch StudyError.overlappingInterval(_, let field) {
            throw Collision(uid: caller.uid, stretches: draft.stretches, field: field)
        }
    }

    /// A draft that met recorded time, until it is known which.
    private struct Collision: Error {
        let uid: UUID
        let stretches: [Stretch]
        let field: String
    }

    /// Looks up what is in the way: outside the gate, whose transaction a refusal has ended.
    private func namingOverlaps(of route: Route) -> Route {
        Route(route.method, route.pattern, access: route.access, maxBody: route.maxBody) { request in
            do {
                return try await route.handler(request)
            } catch let collision as Collision {
                let overlap = try await sessions.overlap(of: collision.stretches, by: collision.uid)
                throw StudyError.overlappingInterval(overlap ?? Overlap(with: nil), field: collision.field)
            }
        }
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        let (from, to) = try request.studyDays()
        return try .json(await sessions.all(of: caller.uid, from: from, to: to, request.paging()))
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await sessions.find(request.uuid("id"), of: caller.uid))
    }

    private func retract(_ request: Request, _ caller: Caller) async throws -> Response {
        try await sessions.retract(request.uuid("id"), of: caller.uid)
        return .noContent
    }

    private func confirm(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        try await sessions.confirm(id, of: caller.uid, endedAt: request.json("ended_at").instant("ended_at"))
        return try .json(await sessions.find(id, of: caller.uid))
    }
}
