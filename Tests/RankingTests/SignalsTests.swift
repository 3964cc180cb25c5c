import Foundation
import HTTP
import Postgres
import TestSupport
import Testing
import Time

@Suite(.database) struct SignalsTests {
    @Test func `figures are the board's, of the month and of everybody in the group`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        let shy = try await room.join("Haneul")
        _ = await shy.patch("\(room.path)/members/me", ["visibility": "hidden"])
        await shy.log("2026-11-20T10:00:00Z", "2026-11-20T12:00:00Z")
        await shy.log("2026-11-20T23:00:00Z", "2026-11-21T00:30:00Z")
        try await shy.run(1800)
        let found = await room.owner.get("\(room.path)/signals").json
        #expect(found["month"] == "2026-11")
        #expect(found["next"].isNull)
        #expect(
            found["items"][0] == [
                "uid": .string(shy.id), "nickname": "Haneul", "avatar_url": nil, "role": "member", "seconds": 14400,
                "manual_seconds": 12600, "manual_permille": 875, "days": 2, "days_near_cap": 0,
                "longest_day_seconds": 7200, "intervals": 1, "commonest_length_seconds": 1800,
                "commonest_length_count": 1, "signals": [],
            ])
        #expect(
            found["items"][1] == [
                "uid": .string(room.owner.id), "nickname": "Dodam", "avatar_url": nil, "role": "owner", "seconds": 0,
                "manual_seconds": 0, "manual_permille": 0, "days": 0, "days_near_cap": 0, "longest_day_seconds": 0,
                "intervals": 0, "commonest_length_seconds": nil, "commonest_length_count": 0, "signals": [],
            ])
        await room.suspend(shy, until: "2026-11-28T00:00:00Z")
        #expect(await room.owner.get("\(room.path)/signals").json == found)
        #expect(await room.owner.get("\(room.path)/signals?month=2026-10").json["items"][0]["seconds"] == 0)
    }

    @Test(arguments: [(3239, 0), (3240, 1), (5000, 1)])
    func `a day of nine tenths of the cap is near it`(seconds: Int, days: Int) async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z", rules: ["daily_cap_seconds": 3600])
        try await room.owner.run(seconds)
        let mine = await room.owner.get("\(room.path)/signals").json["items"][0]
        #expect(mine["days_near_cap"].int == days)
        #expect(mine["longest_day_seconds"].int == seconds)
        #expect(mine["signals"] == (days == 1 ? ["near_cap"] : []))
    }

    @Test(arguments: [(9, 0, false), (10, 0, true), (5, 5, true), (5, 6, false), (4, 4, false)])
    func `lengths are regular when half of ten or more are equal`(equal: Int, odd: Int, isSignal: Bool) async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        for _ in 0..<equal { try await room.owner.run(1500) }
        for number in 0..<odd { try await room.owner.run(100 + number) }
        let mine = await room.owner.get("\(room.path)/signals").json["items"][0]
        #expect(mine["intervals"].int == equal + odd)
        #expect(mine["commonest_length_seconds"] == 1500)
        #expect(mine["commonest_length_count"].int == equal)
        #expect(mine["signals"] == (isSignal ? ["regular_lengths"] : []))
    }

    @Test func `of lengths that are equally common the longest is told`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        for length in [900, 600, 900, 600, 1200, 300] { try await room.owner.run(length) }
        let mine = await room.owner.get("\(room.path)/signals").json["items"][0]
        #expect(mine["commonest_length_seconds"] == 900)
        #expect(mine["commonest_length_count"] == 2)
    }

    @Test(arguments: [(18000, 18000, true), (18001, 17999, false), (9000, 26999, false), (0, 36000, true)])
    func `half of ten hours or more by hand is a high share`(timed: Int, byHand: Int, isSignal: Bool) async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        let began = try #require(Instant("2026-11-20T00:00:00Z"))
        if byHand > 0 { await room.owner.log("\(began)", "\(began + byHand)") }
        if timed > 0 { try await room.owner.run(timed) }
        let mine = await room.owner.get("\(room.path)/signals").json["items"][0]
        #expect(mine["seconds"].int == timed + byHand)
        #expect(mine["signals"] == (isSignal ? ["high_manual_share"] : []))
    }

    @Test func `time by hand that does not count is no share`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z", rules: ["manual_counts": false])
        await room.owner.log("2026-11-20T00:00:00Z", "2026-11-20T11:00:00Z")
        let mine = await room.owner.get("\(room.path)/signals").json["items"][0]
        #expect(mine["seconds"] == 0)
        #expect(mine["longest_day_seconds"] == 0)
        #expect(mine["signals"] == [])
    }

    @Test func `who has most signals comes first, and pages go on below`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z", rules: ["daily_cap_seconds": 7200])
        for name in ["Ara", "Bom", "Chan", "Dan"] {
            let person = try await room.join(name)
            await person.log("2026-11-20T22:00:00Z", "2026-11-20T\(name == "Chan" ? "23:55" : "22:30"):00Z")
        }
        let whole = await room.owner.get("\(room.path)/signals").json["items"].array ?? []
        #expect(whole.first?["nickname"] == "Chan")
        #expect(whole.last?["nickname"] == "Dodam")
        var walked: [JSON] = []
        var next = "month=2026-11"
        while walked.count < 9 {
            let page = await room.owner.get("\(room.path)/signals?limit=2&\(next)").json
            walked += page["items"].array ?? []
            guard let cursor = page["next"].string else { break }
            next = "after=\(cursor)"
        }
        #expect(walked == whole)
    }

    @Test func `signals are for admins, of months that have begun`() async throws {
        let room = try await Room()
        let (member, stranger) = (try await room.join("Haneul"), try await Person("Sol", everything()))
        let path = "\(room.path)/signals"
        let refused = await member.get(path)
        #expect(refused.status == .forbidden)
        #expect(refused.code == "not_allowed")
        #expect(await stranger.get(path).status == .notFound)
        let ahead = await room.owner.get("\(path)?month=2026-12")
        #expect(ahead.code == "future_period")
        #expect(ahead.json["field"] == "month")
        for month in ["2026", "2026-13", "2026-11-01", ""] {
            let wrong = await room.owner.get("\(path)?month=\(month)")
            #expect(wrong.status == .unprocessable)
            #expect(wrong.code == "invalid_month")
        }
        #expect(await room.owner.get("\(path)?after=MjAyNi0xMQ").code == "invalid_cursor")
    }
}
