import Foundation
import HTTP
import Postgres
import TestSupport
import Testing
import Time

@Suite(.database) struct ExplanationTests {
    @Test func `a number opens into days and the parts of intervals, cut at 05:00`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        await room.owner.log("2026-11-20T19:20:00Z", "2026-11-20T22:06:00Z")
        await room.owner.log("2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z")
        let mine = await room.owner.explanation(room)
        #expect(mine["rank"] == 1)
        #expect(mine["seconds"] == .integer(166 * 60 + 3600))
        #expect(mine["days"].array?.map { $0["day"] } == ["2026-11-21", "2026-11-20"])
        let (today, yesterday) = (mine["days"][0], mine["days"][1])
        #expect(today["starts_at"] == "2026-11-20T20:00:00Z")
        #expect(today["ends_at"] == "2026-11-21T20:00:00Z")
        #expect(today["counted_seconds"] == .integer(126 * 60))
        #expect(yesterday["counted_seconds"] == .integer(40 * 60 + 3600))
        #expect(today["parts"][0]["interval_id"] == yesterday["parts"][1]["interval_id"])
        #expect(today["parts"][0]["started_at"] == "2026-11-20T19:20:00Z")
        #expect(today["parts"][0]["ended_at"] == "2026-11-20T22:06:00Z")
        #expect(today["parts"][0]["seconds"] == .integer(126 * 60))
        #expect(today["parts"][0]["source"] == "manual")
    }

    @Test func `what the cap cut is said, in the day and in all`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z", rules: ["daily_cap_seconds": 3600])
        await room.owner.log("2026-11-20T20:00:00Z", "2026-11-20T22:00:00Z")
        let mine = await room.owner.explanation(room)
        #expect(mine["seconds"] == 3600)
        #expect(mine["cut_by_cap"] == 3600)
        #expect(mine["not_counted_seconds"] == 0)
        #expect(mine["days"][0]["seconds"] == 7200)
        #expect(mine["days"][0]["counted_seconds"] == 3600)
        #expect(mine["days"][0]["cut_by_cap"] == 3600)
    }

    @Test func `time by hand is listed where it does not count`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z", rules: ["manual_counts": false])
        await room.owner.log("2026-11-20T20:00:00Z", "2026-11-20T22:00:00Z")
        let mine = await room.owner.explanation(room)
        #expect(mine["seconds"] == 0)
        #expect(mine["not_counted_seconds"] == 7200)
        #expect(mine["cut_by_cap"] == 0)
        #expect(mine["days"][0]["parts"][0]["seconds"] == 7200)
    }

    @Test func `a running timer is the newest part, without an end`() async throws {
        let room = try await Room(at: "2026-11-20T19:30:00Z")
        _ = await room.owner.post("/me/timer/start")
        try await TestDatabase.current.advance(3600)
        let mine = await room.owner.explanation(room)
        #expect(mine["seconds"] == 3600)
        #expect(mine["seconds"] == (await room.owner.board(room)).entry(room.owner)["seconds"])
        #expect(mine["days"].array?.map { $0["counted_seconds"] } == [1800, 1800])
        #expect(mine["days"][0]["parts"][0]["ended_at"] == .null)
    }

    @Test func `imports, retracted and unconfirmed time are in no number`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        _ = await room.owner.post(
            "/me/sessions",
            ["started_at": "2026-11-20T20:00:00Z", "ended_at": "2026-11-20T21:00:00Z", "source": "import"])
        let taken = await room.owner.log("2026-11-20T22:00:00Z", "2026-11-20T23:00:00Z").json["id"].string ?? "-"
        _ = await room.owner.delete("/me/sessions/\(taken)")
        _ = await room.owner.post("/me/timer/start")
        try await TestDatabase.current.advance(12 * 3600)
        let mine = await room.owner.explanation(room)
        #expect(mine["seconds"] == 0)
        #expect(mine["days"] == [])
    }

    @Test func `days and weeks are explained like months`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        await room.owner.log("2026-11-20T19:20:00Z", "2026-11-20T22:06:00Z")
        let day = await room.owner.explanation(room, "period=day&at=2026-11-21")
        #expect(day["at"] == "2026-11-21")
        #expect(day["seconds"] == .integer(126 * 60))
        #expect(day["days"].array?.count == 1)
        let week = await room.owner.explanation(room, "period=week")
        #expect(week["at"] == "2026-11-16")
        #expect(week["seconds"] == .integer(166 * 60))
    }

    @Test func `a week in which the rules change is explained by both`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        let changed = await room.owner.patch(room.path, ["rules": ["daily_cap_seconds": 1800]])
        #expect(changed.status == .ok)
        try await TestDatabase.current.setClock("2026-12-02T03:00:00Z")
        await room.owner.log("2026-11-30T04:00:00Z", "2026-11-30T05:00:00Z")
        await room.owner.log("2026-12-01T04:00:00Z", "2026-12-01T05:00:00Z")
        let week = await room.owner.explanation(room, "period=week")
        #expect(week["days"].array?.map { $0["counted_seconds"] } == [1800, 3600])
        #expect(week["seconds"] == 5400)
        #expect(week["seconds"] == (await room.owner.board(room, "period=week")).entry(room.owner)["seconds"])
    }

    @Test func `an admin opens anybody's number, a member only the own`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        await friend.log("2026-11-20T22:00:00Z", "2026-11-20T23:00:00Z")
        let seen = await room.owner.explanation(room, "uid=\(friend.id)")
        #expect(seen["nickname"] == "Haneul")
        #expect(seen["seconds"] == 3600)
        let refused = await friend.get("\(room.path)/leaderboard/explanation?uid=\(room.owner.id)")
        #expect(refused.status == .forbidden)
        #expect(refused.json["code"] == "not_allowed")
        #expect(await friend.explanation(room, "uid=\(friend.id)")["seconds"] == 3600)
    }

    @Test func `strangers, unknown people and future periods are refused`() async throws {
        let room = try await Room()
        let stranger = try await Person("Stranger", everything())
        let path = "\(room.path)/leaderboard/explanation"
        #expect(await stranger.get(path).status == .notFound)
        #expect(await room.owner.get("\(path)?uid=\(stranger.id)").status == .notFound)
        #expect(await room.owner.get("\(path)?uid=nobody").json["code"] == "invalid_query")
        #expect(await room.owner.get("\(path)?at=2026-12").json["code"] == "future_period")
        #expect(await room.owner.get("\(path)?period=year").json["code"] == "invalid_period")
    }

    @Test func `who was not yet a member has no place to explain`() async throws {
        let room = try await Room(at: "2026-12-03T03:00:00Z")
        let late = try await room.join("Late")
        let before = await late.explanation(room, "at=2026-10")
        #expect(before["rank"] == .null)
        #expect(before["seconds"] == 0)
        #expect(before["days"] == [])
    }

    @Test func `the days add up to the board for everyone in a random month`() async throws {
        let room = try await Room(at: "2026-11-30T03:00:00Z", rules: ["daily_cap_seconds": 7200])
        var random = BruteForceTests.Random(state: 7)
        let now = try #require(Instant("2026-11-30T03:00:00Z"))
        var people = [room.owner]
        for name in ["Ara", "Bom", "Chan"] { people.append(try await room.join(name, timeZone: "America/New_York")) }
        for person in people {
            for hour in stride(from: 1, to: 46, by: 3) where Bool.random(using: &random) {
                let began = now + -hour * 3600
                let ended = min(now, began + Int.random(in: 60...10_700, using: &random))
                await person.log("\(began)", "\(ended)")
            }
        }
        let board = await room.owner.board(room)
        for person in people {
            let opened = await person.explanation(room)
            let counted = opened["days"].array?.reduce(0) { $0 + ($1["counted_seconds"].int ?? 0) }
            #expect(opened["seconds"] == board.entry(person)["seconds"])
            #expect(opened["rank"] == board.entry(person)["rank"])
            #expect(opened["manual_seconds"] == board.entry(person)["manual_seconds"])
            #expect(counted == opened["seconds"].int)
            for day in opened["days"].array ?? [] {
                #expect(day["parts"].array?.reduce(0) { $0 + ($1["seconds"].int ?? 0) } == day["seconds"].int)
            }
        }
    }
}

extension Person {
    func explanation(_ room: Room, _ query: String = "") async -> JSON {
        await get("\(room.path)/leaderboard/explanation?\(query)").json
    }
}
