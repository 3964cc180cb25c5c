import Foundation
import HTTP
import TestSupport
import Testing

@Suite(.database) struct LeaderboardTests {
    @Test func `a board has its whole shape`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        let board = await room.owner.board(room)
        #expect(board["group"] == ["id": .string(room.id), "name": "Grad Exam Room"])
        #expect(board["period"] == "month")
        #expect(board["at"] == "2026-11")
        #expect(
            board["rules"] == [
                "time_zone": "Asia/Seoul", "day_starts_at": "05:00", "daily_cap_seconds": 57_600,
                "manual_counts": true,
            ])
        #expect(board["starts_at"] == "2026-10-31T20:00:00Z")
        #expect(board["ends_at"] == "2026-11-30T20:00:00Z")
        #expect(board["state"] == "open")
        #expect(board["as_of"] == "2026-11-21T03:00:00Z")
        #expect(board["participants"] == 2)
        #expect(board["next"].isNull)
        let mine: JSON = [
            "rank": 1, "uid": .string(room.owner.id), "nickname": "Dodam", "avatar_url": nil, "seconds": 3600,
            "manual_seconds": 3600, "studying": false, "change": nil,
        ]
        let other: JSON = [
            "rank": 2, "uid": .string(friend.id), "nickname": "Haneul", "avatar_url": nil, "seconds": 0,
            "manual_seconds": 0, "studying": false, "change": nil,
        ]
        #expect(board["entries"] == [mine, other])
        #expect(board["me"]["rank"] == 1)
        #expect(board["me"]["seconds"] == 3600)
        #expect(board["me"]["gap_to_next_seconds"].isNull)
        #expect(board["me"]["neighbours"] == [other])
        let theirs = await friend.board(room)
        #expect(theirs["me"]["gap_to_next_seconds"] == 3600)
        #expect(theirs["me"]["neighbours"] == [mine])
    }

    @Test func `quotes, backslashes and every script come through`() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let names = [#"say "hi""#, #"a\b/c"#, "새벽네시의도토리", "👩‍👩‍👧‍👦", "é"]
        for name in names {
            let owner = try await Person(name, everything())
            let group = await owner.post("/groups", ["name": .string(name)]).json["id"].string ?? "-"
            let board = await owner.get("/groups/\(group)/leaderboard").json
            #expect(board["group"]["name"].string == name)
            #expect(board.nicknames == [name])
        }
    }

    @Test func `equal seconds share a rank and the next is as many further on`() async throws {
        let room = try await Room()
        let people = [try await room.join("Ant"), try await room.join("Bee"), try await room.join("Cat")]
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        await people[0].log("2026-11-21T01:00:00Z", "2026-11-21T01:30:00Z")
        await people[1].log("2026-11-21T00:00:00Z", "2026-11-21T00:30:00Z")
        await people[2].log("2026-11-21T01:00:00Z", "2026-11-21T01:20:00Z")
        let board = await room.owner.board(room)
        #expect(board.ranks == [1, 2, 2, 4])
        #expect(board.seconds == [3600, 1800, 1800, 1200])
        #expect(await people[2].board(room)["me"]["gap_to_next_seconds"] == 600)
    }

    @Test func `a running timer counts live until it is 12 h old`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        _ = await friend.post("/me/timer/start")
        try await TestDatabase.current.advance(3600)
        #expect(await room.owner.board(room).ranks == [1, 1])
        try await TestDatabase.current.advance(1)
        let live = await room.owner.board(room)
        #expect(live.nicknames == ["Haneul", "Dodam"])
        #expect(live.entry(friend)["studying"] == true)
        #expect(live.entry(friend)["seconds"] == 3601)
        #expect(live.entry(friend)["manual_seconds"] == 0)
        _ = await friend.post("/me/timer/pause")
        try await TestDatabase.current.advance(100)
        let paused = await room.owner.board(room).entry(friend)
        #expect(paused["studying"] == false)
        #expect(paused["seconds"] == 3601)
        _ = await friend.post("/me/timer/resume")
        try await TestDatabase.current.advance(12 * 3600)
        let forgotten = await room.owner.board(room).entry(friend)
        #expect(forgotten["studying"] == false)
        #expect(forgotten["seconds"] == 3601)
    }

    @Test func `an interval across 05:00 on the night of the last of the month splits`() async throws {
        let room = try await Room(at: "2026-11-30T19:00:00Z")
        _ = await room.owner.post("/me/timer/start")
        try await TestDatabase.current.advance(5400)
        for _ in 0..<2 {
            // First while the timer runs, then from what it recorded.
            let (november, december) = (
                await room.owner.board(room, "at=2026-11"), await room.owner.board(room, "at=2026-12")
            )
            #expect(november.seconds == [3600])
            #expect(november["state"] == "grace")
            #expect(december.seconds == [1800])
            #expect(december["state"] == "open")
            #expect(await room.owner.board(room, "period=day&at=2026-11-30").seconds == [3600])
            #expect(await room.owner.board(room, "period=day&at=2026-12-01").seconds == [1800])
            #expect(await room.owner.board(room, "period=week&at=2026-11-30").seconds == [5400])
            _ = await room.owner.post("/me/timer/stop")
        }
        #expect(await room.owner.board(room)["at"] == "2026-12")
    }

    @Test func `a month is open until its end, in grace for 48 h, then closed`() async throws {
        let room = try await Room(at: "2026-11-30T19:59:59Z")
        func state() async -> JSON { await room.owner.board(room, "at=2026-11")["state"] }
        #expect(await state() == "open")
        try await TestDatabase.current.setClock("2026-11-30T20:00:00Z")
        #expect(await state() == "grace")
        #expect(await room.owner.log("2026-11-30T18:00:00Z", "2026-11-30T19:00:00Z").status == .created)
        try await TestDatabase.current.setClock("2026-12-02T19:59:59Z")
        #expect(await state() == "grace")
        let early = await room.owner.log("2026-11-30T19:59:59Z", "2026-11-30T20:30:00Z")
        #expect(early.status == .created)
        try await TestDatabase.current.setClock("2026-12-02T20:00:00Z")
        #expect(await state() == "closed")
        #expect(await room.owner.board(room, "period=week&at=2026-11-23")["state"] == "closed")
        for answer in [
            await room.owner.log("2026-11-30T19:00:00Z", "2026-11-30T19:30:00Z"),
            await room.owner.delete("/me/sessions/\(early.json["id"].string ?? "-")"),
        ] {
            #expect(answer.status == .conflict)
            #expect(answer.code == "month_closed")
        }
        #expect(await room.owner.board(room, "at=2026-11").seconds == [3601])
    }

    @Test func `manual time shows its share, and counts only where the rules let it`() async throws {
        let room = try await Room()
        let strict = try await Room(rules: ["manual_counts": false])
        await strict.admit(room.owner)
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        try await room.owner.run(1800)
        let mine = await room.owner.board(room).entry(room.owner)
        #expect(mine["seconds"] == 5400)
        #expect(mine["manual_seconds"] == 3600)
        let theirs = await room.owner.board(strict).entry(room.owner)
        #expect(theirs["seconds"] == 1800)
        #expect(theirs["manual_seconds"] == 0)
    }

    @Test func `a day counts up to the cap, the running timer included`() async throws {
        let room = try await Room(rules: ["daily_cap_seconds": 3600])
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T01:50:00Z")
        _ = await room.owner.post("/me/timer/start")
        try await TestDatabase.current.advance(900)
        let running = await room.owner.board(room).entry(room.owner)
        #expect(running["seconds"] == 3600)
        #expect(running["manual_seconds"] == 2700)
        _ = await room.owner.post("/me/timer/stop")
        #expect(await room.owner.board(room).entry(room.owner)["manual_seconds"] == 2700)
        #expect(await room.owner.get("/me/today").json["study_seconds"] == 3900)
    }

    @Test func `every member is counted by the group's clock, wherever they are`() async throws {
        let room = try await Room(at: "2026-11-20T19:00:00Z")
        let far = try await room.join("Farid", timeZone: "America/New_York")
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        await far.log("2026-11-20T19:30:00Z", "2026-11-20T20:30:00Z")
        for day in ["2026-11-20", "2026-11-21"] {
            #expect(await far.board(room, "period=day&at=\(day)").entry(far)["seconds"] == 1800)
        }
    }

    @Test func `a change of rules holds for the months from then on`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        _ = await room.owner.patch(room.path, ["rules": ["daily_cap_seconds": 600]])
        try await TestDatabase.current.setClock("2026-12-01T03:00:00Z")
        await room.owner.log("2026-11-30T18:00:00Z", "2026-11-30T22:00:00Z")
        let (november, december) = (
            await room.owner.board(room, "at=2026-11"), await room.owner.board(room, "at=2026-12")
        )
        #expect(november.seconds == [10_800])
        #expect(november["rules"]["daily_cap_seconds"] == 57_600)
        #expect(december.seconds == [600])
        #expect(december["rules"]["daily_cap_seconds"] == 600)
        #expect(await room.owner.board(room, "period=week&at=2026-11-30").seconds == [7800])
    }

    @Test(arguments: [
        ("at=2027-01", "future_period", "at"), ("period=day&at=2026-11-22", "future_period", "at"),
        ("period=week&at=2026-11-23", "future_period", "at"), ("at=november", "invalid_period", "at"),
        ("period=week&at=2026-11-21", "invalid_period", "at"), ("period=year", "invalid_period", "period"),
        ("limit=0", "invalid_limit", "limit"), ("limit=x", "invalid_limit", "limit"),
        ("after=AAAA", "invalid_cursor", "after"),
    ])
    func `what no board can show is refused`(query: String, code: String, field: String) async throws {
        let room = try await Room()
        let answer = await room.owner.get("\(room.path)/leaderboard?\(query)")
        #expect(answer.code == code)
        #expect(answer.status == (code == "invalid_cursor" ? .badRequest : .unprocessable))
        #expect(answer.json["field"].string == field)
    }

    @Test func `a day begins at 05:00 of the group's clock, not before`() async throws {
        let room = try await Room(at: "2026-11-20T19:59:59Z")
        #expect(await room.owner.board(room, "period=day")["at"] == "2026-11-20")
        #expect(await room.owner.get("\(room.path)/leaderboard?period=day&at=2026-11-21").code == "future_period")
        try await TestDatabase.current.advance(1)
        let day = await room.owner.board(room, "period=day")
        #expect(day["at"] == "2026-11-21")
        #expect(day["starts_at"] == "2026-11-20T20:00:00Z")
        #expect(day["ends_at"] == "2026-11-21T20:00:00Z")
        let week = await room.owner.board(room, "period=week")
        #expect(week["at"] == "2026-11-16")
        #expect(week["starts_at"] == "2026-11-15T20:00:00Z")
        #expect(week["ends_at"] == "2026-11-22T20:00:00Z")
    }

    @Test func `a month before the group is an empty board`() async throws {
        let room = try await Room()
        let board = await room.owner.board(room, "at=2026-03")
        #expect(board["participants"] == 0)
        #expect(board["entries"] == [])
        #expect(board["me"].isNull)
        #expect(board["state"] == "closed")
    }

    @Test(arguments: ["at=0001-01", "period=week&at=0001-01-01", "period=day&at=0001-01-01"])
    func `the first of all periods has a board too`(query: String) async throws {
        let room = try await Room()
        #expect(await room.owner.board(room, query)["participants"] == 0)
    }

    @Test(arguments: ["at=9999-12", "period=week&at=9999-12-27", "period=day&at=9999-12-31"])
    func `the last of all periods lies ahead`(query: String) async throws {
        let room = try await Room()
        #expect(await room.owner.get("\(room.path)/leaderboard?\(query)").code == "future_period")
    }

    @Test func `who is not in the group does not know that it is there`() async throws {
        let room = try await Room()
        let stranger = try await Person("Minseo", everything())
        let gone = try await room.join("Haneul")
        try await TestDatabase.current.advance(5)
        _ = await gone.delete("\(room.path)/members/\(gone.id)")
        for query in ["", "?period=day", "?at=2027-01"] {
            #expect(await stranger.get("\(room.path)/leaderboard\(query)").status == .notFound)
            #expect(await gone.get("\(room.path)/leaderboard\(query)").status == .notFound)
            #expect(await everything().get("/api/v1\(room.path)/leaderboard\(query)").status == .unauthorized)
        }
        #expect(await room.owner.get("/groups/no-uuid/leaderboard").status == .notFound)
    }

    @Test func `the same board is a 304`() async throws {
        let room = try await Room()
        let first = await room.owner.get("\(room.path)/leaderboard")
        let tag = try #require(first.headers["ETag"])
        let again = await everything().get(
            "/api/v1\(room.path)/leaderboard", bearer: room.owner.token, headers: ["If-None-Match": tag])
        #expect(again.status == .notModified)
    }
}
