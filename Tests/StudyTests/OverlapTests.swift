import Foundation
import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct OverlapTests {
    @Test func `an overlap answers what is in the way, in words and as times`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:20:00Z")
        let answer = await me.log("2026-11-21T06:00:00Z", "2026-11-21T07:00:00Z")
        #expect(answer.status == .conflict)
        #expect(answer.code == "overlapping_interval")
        #expect(answer.json["field"] == "started_at")
        #expect(answer.json["overlaps"] == ["started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:20:00Z"])
        #expect(answer.json["detail"] == "This overlaps 14:00 – 15:20. Change the start or the end.")
        #expect(await me.log("2026-11-21T06:20:00Z", "2026-11-21T07:00:00Z").status == .created)
    }

    @Test func `a refusal speaks the person's language`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let body: JSON = ["started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:20:00Z"]
        _ = await me.post("/me/sessions", body)
        let answer = await me.post("/me/sessions", body, headers: ["Accept-Language": "ko-KR,ko;q=0.9,en;q=0.5"])
        #expect(answer.json["detail"] == "14:00 – 15:20 공부와 겹쳐요. 시작이나 끝을 바꿔 주세요.")
    }

    @Test func `an overlap is named under an Idempotency-Key too, and evaluated anew`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let first = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:20:00Z").json
        let key: Headers = ["Idempotency-Key": UUID().uuidString]
        let body: JSON = ["started_at": "2026-11-21T06:00:00Z", "ended_at": "2026-11-21T07:00:00Z"]
        let refused = await me.post("/me/sessions", body, headers: key)
        #expect(refused.json["overlaps"]["ended_at"] == "2026-11-21T06:20:00Z")
        _ = await me.delete("/me/sessions/\(first["id"].string ?? "-")")
        #expect(await me.post("/me/sessions", body, headers: key).status == .created)
    }

    @Test func `nothing overlaps the running timer`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        _ = await me.post("/me/timer/start")
        try await TestDatabase.current.advance(600)
        let answer = await me.log("2026-11-21T12:05:00Z", "2026-11-21T12:06:00Z")
        #expect(answer.code == "overlapping_interval")
        #expect(answer.json["overlaps"] == ["started_at": "2026-11-21T12:00:00Z"])
        #expect(
            answer.json["detail"] == "Your timer has been running since 21:00. Choose an end no later than that.")
    }

    @Test func `overlapping logs from 16 clients never overlap`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answers = await withTaskGroup { group in
            for minute in 10..<26 {
                group.addTask { await me.log("2026-11-21T10:\(minute):00Z", "2026-11-21T11:\(minute):00Z") }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == .created }.count == 1)
        #expect(answers.filter { $0.code == "overlapping_interval" }.count == 15)
        #expect(await me.get("/me/today").json["study_seconds"] == 3600)
    }

    @Test func `of several intervals all are recorded or none`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        _ = await me.log("2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z")
        let answer = await me.post(
            "/me/sessions",
            [
                "intervals": [
                    ["started_at": "2026-11-21T03:00:00Z", "ended_at": "2026-11-21T04:00:00Z"],
                    ["started_at": "2026-11-21T05:30:00Z", "ended_at": "2026-11-21T06:30:00Z"],
                ]
            ])
        #expect(answer.code == "overlapping_interval")
        #expect(answer.json["field"] == "intervals")
        #expect(await me.get("/me/today").json["study_seconds"] == 3600)
    }

    @Test func `intervals of one session may not overlap each other`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.post(
            "/me/sessions",
            [
                "intervals": [
                    ["started_at": "2026-11-21T05:30:00Z", "ended_at": "2026-11-21T06:30:00Z"],
                    ["started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T05:31:00Z"],
                ]
            ])
        #expect(answer.code == "overlapping_interval")
        #expect(answer.json["field"] == "intervals")
        #expect(answer.json["overlaps"]["ended_at"] == "2026-11-21T05:31:00Z")
        #expect(answer.json["detail"] == "This overlaps 14:00 – 14:31. Change the start or the end.")
    }
}
