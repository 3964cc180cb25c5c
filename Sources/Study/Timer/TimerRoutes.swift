import API
import Accounts
import HTTP

/// The timer: the server runs it, a client only shows it.
struct TimerRoutes: Sendable {
    let timers: TimerStore
    let sessions: SessionStore
    let days: TodayStore
    let gate: Gate

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/timer", show),
            gate.user(.patch, "/api/v1/me/timer", move),
            gate.user(.post, "/api/v1/me/timer/start", start),
            gate.user(.post, "/api/v1/me/timer/pause", pause),
            gate.user(.post, "/api/v1/me/timer/resume", resume),
            gate.user(.post, "/api/v1/me/timer/stop", stop),
            gate.user(.post, "/api/v1/me/timer/cancel", cancel),
        ]
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        .writtenJSON(try await timers.state(of: caller.uid))
    }

    private func start(_ request: Request, _ caller: Caller) async throws -> Response {
        .created(written: try await timers.start(caller.uid, TimerStart(request)), at: "/api/v1/me/timer")
    }

    private func move(_ request: Request, _ caller: Caller) async throws -> Response {
        let startedAt = try request.json("started_at").instant("started_at")
        return .writtenJSON(try await timers.move(caller.uid, startedAt: startedAt))
    }

    private func pause(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        return .writtenJSON(try await timers.pause(caller.uid))
    }

    private func resume(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        return .writtenJSON(try await timers.resume(caller.uid))
    }

    private func stop(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        let (id, earned) = try await timers.stop(caller.uid)
        async let session = sessions.find(id, of: caller.uid)
        async let today = days.today(of: caller.uid)
        return try .json(StopResult(session: await session, today: await today, earned: earned))
    }

    private func cancel(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        try await timers.cancel(caller.uid)
        return .writtenJSON(try await timers.state(of: caller.uid))
    }
}
