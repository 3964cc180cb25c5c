import Foundation
import HTTP
import Postgres
import TestSupport
import Time

@testable import Study

/// Somebody with an alarm, set at `time`.
func sleeper(
    at time: String, alarm: String = "06:30", timeZone: String = "Asia/Seoul", every: Int = 5, times: Int = 3
) async throws -> Person {
    let me = try await student(at: time, timeZone: timeZone)
    _ = await me.setAlarm(alarm, every: every, times: times)
    return me
}

extension Person {
    func setAlarm(
        _ time: String, enabled: Bool = true, difficulty: String = "easy", sound: String = "bell", every: Int = 5,
        times: Int = 3
    ) async -> Answer {
        await put(
            "/me/alarm",
            [
                "enabled": .bool(enabled), "time": .string(time), "difficulty": .string(difficulty),
                "sound": .string(sound), "repeat": ["every_minutes": .integer(every), "times": .integer(times)],
            ])
    }

    /// Whether a problem can be had at `time`: nil if so, else the code of the refusal.
    func ringing(at time: String) async throws -> String? {
        try await TestDatabase.current.setClock(time)
        return await post("/me/wake-ups/challenge").code
    }

    /// Has the problem and answers it rightly, or wrongly.
    func solve(rightly: Bool = true) async throws -> Answer {
        let asked = await post("/me/wake-ups/challenge")
        return await answer(asked, try rightAnswer(to: asked) + (rightly ? 0 : 1))
    }

    func answer(_ challenge: Answer, _ answer: Int) async -> Answer {
        await post("/me/wake-ups", ["challenge_id": challenge.json["challenge_id"], "answer": .integer(answer)])
    }

    /// The days whose wake-up ant is earned.
    func wakeUps() async throws -> [String] {
        let rows = try await TestDatabase.current.database.read(
            "SELECT day FROM wake_ups WHERE uid = \(uid) ORDER BY day")
        return try rows.decode(Day.self).map { "\($0)" }
    }
}

/// Found from what the challenge shows.
func rightAnswer(to challenge: Answer) throws -> Int {
    PuzzleTests.solve(try JSONDecoder().decode(Puzzle.self, from: Data(challenge.body))).first ?? -1
}
