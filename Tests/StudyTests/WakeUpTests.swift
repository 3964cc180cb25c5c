import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// The problem of a ring and its five tries.
@Suite(.database) struct WakeUpTests {
    @Test(arguments: ["easy", "medium", "hard"])
    func `the right answer earns the ant of the day, once`(difficulty: String) async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.setAlarm("06:30", difficulty: difficulty)
        try await TestDatabase.current.setClock("2026-11-21T21:30:30Z")
        let asked = await me.post("/me/wake-ups/challenge")
        #expect(asked.status == .ok)
        #expect(asked.json["expires_at"] == "2026-11-21T21:32:00Z")
        #expect(asked.json["tries_left"] == 5)
        #expect(
            asked.json.names == ["challenge_id", "kind", "parts", "question", "expires_at", "tries_left"])
        let right = try rightAnswer(to: asked)
        #expect(await me.answer(asked, right - 1).json == ["correct": false, "wake_up": false, "tries_left": 4])
        #expect(await me.answer(asked, right).json == ["correct": true, "wake_up": true, "tries_left": 3])
        #expect(try await me.wakeUps() == ["2026-11-22"])
        #expect(await me.answer(asked, right).json == ["correct": true, "wake_up": true, "tries_left": 3])
        try await TestDatabase.current.advance(3600)
        #expect(await me.answer(asked, right + 1).json == ["correct": false, "wake_up": true, "tries_left": 3])
        #expect(try await me.wakeUps() == ["2026-11-22"])
        #expect(await me.post("/me/wake-ups/challenge").code == "outside_alarm_window")
    }

    @Test func `five tries a ring, a new problem at the next`() async throws {
        let me = try await sleeper(at: "2026-11-21T03:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T21:30:00Z")
        let asked = await me.post("/me/wake-ups/challenge")
        let right = try rightAnswer(to: asked)
        for left in [4, 3, 2, 1, 0] { #expect(await me.answer(asked, -1).json["tries_left"] == .integer(left)) }
        let sixth = await me.answer(asked, right)
        #expect(sixth.status == .conflict)
        #expect(sixth.code == "too_many_tries")
        #expect(await me.post("/me/wake-ups/challenge").code == "too_many_tries")
        #expect(await me.get("/me/alarm").json["window"]["tries_left"] == 0)
        try await TestDatabase.current.setClock("2026-11-21T21:35:00Z")
        #expect(await me.answer(asked, right).code == "outside_alarm_window")
        let next = await me.post("/me/wake-ups/challenge")
        #expect(next.json["challenge_id"] != asked.json["challenge_id"])
        #expect(next.json["tries_left"] == 5)
        #expect(await me.answer(next, try rightAnswer(to: next)).json["wake_up"] == true)
    }

    @Test func `asking again within a ring returns the same problem and the tries left`() async throws {
        let me = try await sleeper(at: "2026-11-21T03:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T21:30:00Z")
        let first = await me.post("/me/wake-ups/challenge")
        _ = await me.answer(first, -1)
        let again = await me.post("/me/wake-ups/challenge")
        for name in ["challenge_id", "kind", "parts", "question"] { #expect(again.json[name] == first.json[name]) }
        #expect(again.json["tries_left"] == 4)
    }

    @Test func `an answer is taken until the last second of the ring`() async throws {
        let me = try await sleeper(at: "2026-11-21T03:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T21:30:00Z")
        let asked = await me.post("/me/wake-ups/challenge")
        try await TestDatabase.current.setClock("2026-11-21T21:32:01Z")
        #expect(await me.answer(asked, -1).code == "outside_alarm_window")
        try await TestDatabase.current.setClock("2026-11-21T21:32:00Z")
        #expect(await me.answer(asked, try rightAnswer(to: asked)).json["wake_up"] == true)
    }

    @Test func `16 wrong answers at once are five tries`() async throws {
        let me = try await sleeper(at: "2026-11-21T03:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T21:30:00Z")
        let asked = await me.post("/me/wake-ups/challenge")
        let answers = await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { await me.answer(asked, -1) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == .ok }.compactMap(\.json["tries_left"].int).sorted() == [0, 1, 2, 3, 4])
        #expect(answers.filter { $0.code == "too_many_tries" }.count == 11)
        #expect(try await me.wakeUps() == [])
    }

    @Test func `16 right answers at once earn one ant`() async throws {
        let me = try await sleeper(at: "2026-11-21T03:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T21:30:00Z")
        let asked = await me.post("/me/wake-ups/challenge")
        let right = try rightAnswer(to: asked)
        let answers = await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { await me.answer(asked, right) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.json == ["correct": true, "wake_up": true, "tries_left": 4] })
        #expect(try await me.wakeUps() == ["2026-11-22"])
    }

    @Test func `16 first requests at once get one problem`() async throws {
        let me = try await sleeper(at: "2026-11-21T03:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T21:30:00Z")
        let ids = await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { await me.post("/me/wake-ups/challenge").json["challenge_id"] } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1 && !ids.contains(.null))
    }

    @Test func `another's problem is not there`() async throws {
        let me = try await sleeper(at: "2026-11-21T03:00:00Z")
        let other = try await Person("Minji", study())
        try await TestDatabase.current.setClock("2026-11-21T21:30:00Z")
        let asked = await me.post("/me/wake-ups/challenge")
        let answer = await other.answer(asked, try rightAnswer(to: asked))
        #expect(answer.status == .notFound)
        #expect(try await other.wakeUps() == [])
    }

    @Test func `the question is in the language of the request`() async throws {
        let me = try await sleeper(at: "2026-11-21T03:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T21:30:00Z")
        let isKorean = { (answer: Answer) in
            answer.json["question"].string?.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }
        }
        let path = "/me/wake-ups/challenge"
        #expect(isKorean(await me.post(path, headers: ["Accept-Language": "ko"])) == true)
        #expect(isKorean(await me.post(path, headers: ["Accept-Language": "en"])) == false)
    }

    @Test func `a wrong answer under an Idempotency-Key is one try`() async throws {
        let me = try await sleeper(at: "2026-11-21T03:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T21:30:00Z")
        let asked = await me.post("/me/wake-ups/challenge")
        let key: Headers = ["Idempotency-Key": UUID().uuidString]
        let body: JSON = ["challenge_id": asked.json["challenge_id"], "answer": -1]
        for _ in 0..<3 { #expect(await me.post("/me/wake-ups", body, headers: key).json["tries_left"] == 4) }
        #expect(await me.post("/me/wake-ups", body).json["tries_left"] == 3)
    }

    @Test func `problems are forgotten two days after their ring`() async throws {
        let me = try await sleeper(at: "2026-11-21T03:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T21:30:00Z")
        let asked = await me.post("/me/wake-ups/challenge")
        let forget = { (time: String) in
            try await TestDatabase.current.setClock(time)
            _ = try await TestDatabase.current.database.write("SELECT forget_challenges()")
        }
        try await forget("2026-11-23T21:32:00Z")
        #expect(await me.answer(asked, -1).code == "outside_alarm_window")
        try await forget("2026-11-23T21:32:01Z")
        #expect(await me.answer(asked, -1).status == .notFound)
    }
}
