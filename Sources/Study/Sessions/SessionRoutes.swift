import API
import Accounts
import HTTP
import Postgres

/// Study as it was recorded: written down by hand, listed, taken back.
struct SessionRoutes: Sendable {
    let sessions: SessionStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.post, "/api/v1/me/sessions", record),
            gate.user(.post, "/api/v1/me/sessions/batch", maxBody: Self.largestBatch, recordAll),
            gate.user(.get, "/api/v1/me/sessions", query: Paging.parameters.union(Request.dayParameters), list),
            gate.user(.get, "/api/v1/me/sessions/unconfirmed", listUnconfirmed),
            gate.user(.get, "/api/v1/me/sessions/{id}", show),
            gate.user(.patch, "/api/v1/me/sessions/{id}", change),
            gate.user(.delete, "/api/v1/me/sessions/{id}", retract),
            gate.user(.put, "/api/v1/me/sessions/{id}/end", confirm),
            gate.user(.get, "/api/v1/me/sessions/{id}/history", history),
        ]
    }

    /// 200 sessions with the longest notes in any script.
    private static let largestBatch = 2 * 1024 * 1024

    private func record(_ request: Request, _ caller: Caller) async throws -> Response {
        let draft = try SessionDraft(request.json(SessionDraft.fields))
        let session = try await sessions.record(draft, of: caller.uid)
        return .created(written: session, at: "/api/v1/me/sessions/\(draft.id)")
    }

    /// Each session gets its own verdict, and none stands in the way of the others.
    private func recordAll(_ request: Request, _ caller: Caller) async throws -> Response {
        let documents = try request.json("sessions").documents("sessions")
        guard (1...200).contains(documents.count) else { throw Refusal.study.wrongNumberOfSessions }
        var verdicts = [Verdict?](repeating: nil, count: documents.count)
        var drafts: [(place: Int, draft: SessionDraft)] = []
        for (place, fields) in documents.enumerated() {
            do {
                drafts.append((place, try SessionDraft(fields.allowing(SessionDraft.fields))))
            } catch let refusal as any ResponseError {
                let id = try? fields.optionalUUID("id")
                verdicts[place] = Verdict(of: id, refusal, in: request.language)
            }
        }
        guard drafts.map(\.draft.stretches.count).reduce(0, +) <= 1000 else {
            throw Refusal.study.wrongNumberOfSessions
        }
        for ((place, draft), result) in zip(drafts, try await sessions.record(drafts.map(\.draft), of: caller.uid)) {
            verdicts[place] =
                switch result {
                case .success(let recording): Verdict(of: draft.id, recording)
                case .failure(let refusal): Verdict(of: draft.id, refusal, in: request.language)
                }
        }
        return try .json(["results": verdicts.compactMap { $0 }])
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        let id = try request.uuid("id")
        let change = try SessionChange(request.json(SessionChange.fields))
        return .writtenJSON(try await sessions.change(id, change, of: caller.uid))
    }

    private func list(_ request: Request, _ caller: Caller) async throws -> Response {
        let (from, to) = try request.studyDays()
        return try .json(await sessions.all(of: caller.uid, from: from, to: to, request.paging()))
    }

    private func listUnconfirmed(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(Page(items: await sessions.unconfirmed(of: caller.uid), next: nil))
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
        let fields = try request.json("ended_at", "paused")
        let pauses = try fields.optionalBool("paused") ?? false
        try await sessions.confirm(id, of: caller.uid, endedAt: fields.instant("ended_at"), pauses: pauses)
        return try .json(await sessions.find(id, of: caller.uid))
    }

    private func history(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(Page(items: await sessions.history(request.uuid("id"), of: caller.uid), next: nil))
    }
}
