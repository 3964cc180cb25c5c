import API
import Accounts
import HTTP

/// The morning alarm, and the problem that earns the wake-up ant.
struct AlarmRoutes: Sendable {
    let alarms: AlarmStore
    let gate: Gate
    /// Where problems come from.
    var puzzle: @Sendable (Puzzle.Difficulty) -> Puzzle = { difficulty in
        var chance = SystemRandomNumberGenerator()
        return Puzzle.make(difficulty, using: &chance)
    }

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/alarm", show),
            gate.user(.put, "/api/v1/me/alarm", set),
            gate.user(.post, "/api/v1/me/wake-ups/challenge", ask),
            gate.user(.post, "/api/v1/me/wake-ups", answer),
        ]
    }

    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await alarms.status(of: caller.uid))
    }

    private func set(_ request: Request, _ caller: Caller) async throws -> Response {
        try .json(await alarms.set(AlarmSetting(request), of: caller.uid))
    }

    private func ask(_ request: Request, _ caller: Caller) async throws -> Response {
        _ = try request.json()
        // The database alone knows which difficulty counts for the present ring.
        let offered = Dictionary(uniqueKeysWithValues: Puzzle.Difficulty.allCases.map { ($0, puzzle($0)) })
        return try .json(await alarms.ask(caller.uid, offered: offered, in: request.language))
    }

    private func answer(_ request: Request, _ caller: Caller) async throws -> Response {
        let fields = try request.json("challenge_id", "answer")
        let (challenge, answer) = (try fields.uuid("challenge_id"), try fields.int("answer"))
        return try .json(await alarms.answer(challenge, answer, by: caller.uid))
    }
}
