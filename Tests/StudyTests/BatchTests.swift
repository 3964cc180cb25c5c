import Foundation
import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct BatchTests {
    @Test func `each session of a batch gets its own verdict, in any order, however often it is sent`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let batch = [
            session("08:00", "09:00"), session("05:00", "06:00"), session("05:30", "05:40"), session("11:00", "12:02"),
            session("07:00", "07:00"), ["id": id(), "started_at": "2026-11-21T03:00:00Z"],
            ["id": "mine", "started_at": "2026-11-21T03:00:00Z", "ended_at": "2026-11-21T03:30:00Z"],
            session("03:00", "03:30", ["colour": "red"]), session("03:00", "03:30", ["note": 7]),
            session("03:00", "03:30", ["subject_id": id()]), session("02:00", "02:30", ["source": "timer"]),
            session("01:00", "01:30", ["note": "out of order"]),
        ]
        for recorded in [201, 200, 200] {
            let answer = await me.post("/me/sessions/batch", ["sessions": .array(batch)])
            #expect(answer.status == .ok)
            let results = answer.json["results"].array ?? []
            #expect(
                results.map { $0["status"].int } == [
                    recorded, recorded, 409, 422, 422, 400, 400, 400, 400, 422, 422, recorded,
                ])
            #expect(
                results.map { $0["code"].string } == [
                    nil, nil, "overlapping_interval", "in_the_future", "empty_interval", "missing_field", "wrong_type",
                    "unknown_field", "wrong_type", "unknown_subject", "invalid_source", nil,
                ])
            #expect(
                results.map { $0["field"].string } == [
                    nil, nil, "started_at", "ended_at", "ended_at", "ended_at", "id", "colour", "note", "subject_id",
                    "source", nil,
                ])
            #expect(results.enumerated().allSatisfy { $0 == 6 ? $1["id"].isNull : $1["id"] == batch[$0]["id"] })
            #expect(results[2]["detail"] == "This overlaps 14:00 – 15:00. Change the start or the end.")
            #expect(
                results[2]["overlaps"] == ["started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:00:00Z"])
            #expect(await me.get("/me/today").json["study_seconds"] == 9000)
        }
        #expect(await me.get("/me/sessions").json["items"].array?.count == 3)
    }

    @Test func `an id twice in one batch is recorded once; refused first, it may still be recorded after`() async throws
    {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let twin = session("08:00", "09:00")
        var late = session("08:30", "09:30")
        let same = late["id"]
        let batch: [JSON] = [twin, twin, late, session("10:00", "11:00", ["id": same])]
        late = session("06:00", "07:00", ["id": twin["id"]])
        let answer = await me.post("/me/sessions/batch", ["sessions": .array(batch + [late])])
        #expect(answer.json["results"].array?.map { $0["status"].int } == [201, 200, 409, 201, 200])
        #expect(await me.get("/me/today").json["study_seconds"] == 7200)
    }

    @Test func `a batch does not restore a deleted session, and an id of another user is unknown`()
        async throws
    {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let other = try await Person("Haneul", study())
        let mine = session("08:00", "09:00")
        _ = await me.post("/me/sessions", mine)
        _ = await me.delete("/me/sessions/\(mine["id"].string ?? "-")")
        let answer = await me.post("/me/sessions/batch", ["sessions": [mine, session("08:00", "09:00")]])
        #expect(answer.json["results"][0]["status"] == 409)
        #expect(answer.json["results"][0]["code"] == "session_retracted")
        #expect(answer.json["results"][1]["status"] == 201)
        #expect(await other.post("/me/sessions/batch", ["sessions": [mine]]).json["results"][0]["status"] == 201)
    }

    @Test func `verdicts are in the person's language`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let answer = await me.post(
            "/me/sessions/batch", ["sessions": [session("11:00", "13:00"), ["id": 1]]],
            headers: ["Accept-Language": "ko"])
        #expect(answer.json["results"][0]["detail"] == "아직 오지 않은 시간이에요.")
        #expect(answer.json["results"][1]["detail"] == "항목의 형식이 맞지 않아요: id")
    }

    @Test func `a session with several intervals, an import and nothing readable have verdicts too`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let several: JSON = [
            "id": id(),
            "intervals": [
                ["started_at": "2026-11-21T05:00:00Z", "ended_at": "2026-11-21T06:00:00Z"],
                ["started_at": "2026-11-21T06:10:00Z", "ended_at": "2026-11-21T06:20:00Z"],
            ],
        ]
        let old: JSON = [
            "id": id(), "started_at": "2020-11-21T05:00:00Z", "ended_at": "2020-11-21T06:00:00Z", "source": "import",
        ]
        let answer = await me.post("/me/sessions/batch", ["sessions": [several, old, [:]]])
        #expect(answer.json["results"].array?.map { $0["status"].int } == [201, 201, 400])
        #expect(await me.get("/me/today").json["total_seconds"] == 7800)
    }

    @Test func `200 sessions are a batch, more are too many, and so are 1001 intervals`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let many = (0..<201).map { minute -> JSON in
            let from = String(format: "2026-11-21T%02d:%02d:00Z", minute / 60, minute % 60)
            let to = String(format: "2026-11-21T%02d:%02d:30Z", minute / 60, minute % 60)
            return ["id": id(), "started_at": .string(from), "ended_at": .string(to)]
        }
        let answer = await me.post("/me/sessions/batch", ["sessions": .array(Array(many.prefix(200)))])
        #expect(answer.json["results"].array?.filter { $0["status"] == 201 }.count == 200)
        #expect(await me.get("/me/today").json["study_seconds"] == 6000)
        let full: JSON = [
            "intervals": .array(many.prefix(100).map { ["started_at": $0["started_at"], "ended_at": $0["ended_at"]] })
        ]
        for sessions in [[], many, Array(repeating: full, count: 11)] {
            let refused = await me.post("/me/sessions/batch", ["sessions": .array(sessions)])
            #expect(refused.status == .unprocessable)
            #expect(refused.code == "invalid_sessions")
            #expect(refused.json["field"] == "sessions")
        }
        #expect(await me.post("/me/sessions/batch", ["sessions": [1]]).code == "wrong_type")
        #expect(await me.post("/me/sessions/batch", [:]).code == "missing_field")
    }

    @Test func `under an Idempotency-Key a batch is answered again as it was`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let key: Headers = ["Idempotency-Key": UUID().uuidString]
        let body: JSON = ["sessions": [session("08:00", "09:00"), session("08:30", "09:30")]]
        let first = await me.post("/me/sessions/batch", body, headers: key)
        let second = await me.post("/me/sessions/batch", body, headers: key)
        #expect(first.json["results"].array?.map { $0["status"].int } == [201, 409])
        #expect(first.json["results"][1]["overlaps"]["started_at"] == "2026-11-21T08:00:00Z")
        #expect(second.json == first.json)
        #expect(second.headers["Idempotency-Replayed"] == "true")
    }

    @Test func `one batch sent by 16 at once is recorded once`() async throws {
        let me = try await student(at: "2026-11-21T12:00:00Z")
        let batch = (10..<30).map { session("0\($0 / 10):\($0):00", "0\($0 / 10):\($0):30") }
        let answers = await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { await me.post("/me/sessions/batch", ["sessions": .array(batch)]) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let statuses = answers.flatMap { $0.json["results"].array ?? [] }.map { $0["status"].int }
        #expect(statuses.filter { $0 == 201 }.count == 20)
        #expect(statuses.filter { $0 == 200 }.count == 300)
        #expect(await me.get("/me/today").json["study_seconds"] == 600)
    }
}

private func id() -> JSON { .string(UUID().uuidString.lowercased()) }

/// A session of 21 November 2026, from one time of day in UTC to another, under an id of its own.
private func session(_ from: String, _ to: String, _ more: [String: JSON] = [:]) -> JSON {
    func at(_ time: String) -> JSON { .string("2026-11-21T\(time.count == 5 ? time + ":00" : time)Z") }
    let usual: [String: JSON] = ["id": id(), "started_at": at(from), "ended_at": at(to)]
    return .object(usual.merging(more) { $1 })
}
