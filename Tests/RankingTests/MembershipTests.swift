import Foundation
import HTTP
import TestSupport
import Testing

/// Who is on a board, and how much of them is seen.
@Suite(.database) struct MembershipTests {
    @Test func `joining in mid-month counts the whole month`() async throws {
        let room = try await Room(at: "2026-11-03T03:00:00Z")
        let late = try await Person("Haneul", everything())
        await late.log("2026-11-03T00:00:00Z", "2026-11-03T02:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        await room.admit(late)
        #expect(await late.board(room).entry(late)["seconds"] == 7200)
        #expect(await late.board(room, "period=day&at=2026-11-03").nicknames == ["Dodam"])
    }

    @Test func `who leaves is off the board, and on again after coming back`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        await friend.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        try await TestDatabase.current.advance(60)
        _ = await friend.delete("\(room.path)/members/\(friend.id)")
        let board = await room.owner.board(room)
        #expect(board.nicknames == ["Dodam"])
        #expect(board.ranks == [1])
        #expect(board["participants"] == 1)
        try await TestDatabase.current.advance(60)
        await room.admit(friend)
        #expect(await room.owner.board(room).nicknames == ["Haneul", "Dodam"])
        #expect(await room.owner.board(room).seconds == [3600, 0])
    }

    @Test func `who leaves after a period stays on its board, and who comes later is not on it`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        let leaver = try await room.join("Haneul")
        await leaver.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        try await TestDatabase.current.setClock("2026-12-05T03:00:00Z")
        _ = await leaver.delete("\(room.path)/members/\(leaver.id)")
        let newcomer = try await room.join("Minseo")
        #expect(await room.owner.board(room, "at=2026-11").nicknames == ["Haneul", "Dodam"])
        let seen = await newcomer.board(room, "at=2026-11")
        #expect(seen["me"].isNull)
        #expect(seen["participants"] == 2)
        #expect(Set(await newcomer.board(room).nicknames) == ["Dodam", "Minseo"])
    }

    @Test func `who hides keeps ranks and pages right for the others`() async throws {
        let room = try await Room()
        let shy = try await room.join("Haneul")
        let third = try await room.join("Minseo")
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        await shy.log("2026-11-21T01:00:00Z", "2026-11-21T01:30:00Z")
        await third.log("2026-11-21T01:00:00Z", "2026-11-21T01:20:00Z")
        _ = await shy.patch("\(room.path)/members/me", ["visibility": "hidden"])
        let board = await third.board(room)
        #expect(board.nicknames == ["Dodam", "Minseo"])
        #expect(board.ranks == [1, 2, 3])
        #expect(board["entries"][1].isSomeone(at: 2))
        #expect(board["participants"] == 3)
        #expect(board["me"]["rank"] == 3)
        // The gap goes to the next who shows themselves.
        #expect(board["me"]["gap_to_next_seconds"] == 2400)
        #expect(board["me"]["neighbours"][0]["nickname"] == "Dodam" && board["me"]["above"] == 2)
        #expect(board["me"]["neighbours"][1].isSomeone(at: 2))
        let first = await third.board(room, "limit=1")
        let second = await third.board(room, "limit=1&after=\(first["next"].string ?? "")")
        let last = await third.board(room, "limit=1&after=\(second["next"].string ?? "")")
        #expect(first.nicknames + second.nicknames + last.nicknames == ["Dodam", "Minseo"])
        #expect(second["entries"][0].isSomeone(at: 2) && last["next"].isNull)
        #expect(await shy.board(room).nicknames == ["Dodam", "Haneul", "Minseo"])
        #expect(await room.owner.board(room).nicknames == ["Dodam", "Minseo"])
        try await TestDatabase.current.setClock("2026-12-05T03:00:00Z")
        _ = await shy.delete("\(room.path)/members/\(shy.id)")
        #expect(await third.board(room, "at=2026-11").nicknames == ["Dodam", "Minseo"])
    }

    @Test func `a nickname alone has no picture`() async throws {
        let room = try await Room()
        _ = await room.owner.patch("\(room.path)/members/me", ["visibility": "nickname"])
        let entry = await room.owner.board(room).entry(room.owner)
        #expect(entry["nickname"] == "Dodam")
        #expect(entry["avatar_url"].isNull)
    }

    @Test func `ranks move by what the day has brought`() async throws {
        let room = try await Room(at: "2026-11-20T03:00:00Z")
        let friend = try await room.join("Haneul")
        await room.owner.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z")
        await friend.log("2026-11-20T01:00:00Z", "2026-11-20T01:30:00Z")
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        #expect(await room.owner.board(room)["entries"].array?.map(\.["change"]) == [0, 0])
        await friend.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        let board = await room.owner.board(room)
        #expect(board.nicknames == ["Haneul", "Dodam"])
        #expect(board["entries"].array?.map(\.["change"]) == [1, -1])
        #expect(await room.owner.board(room, "at=2026-11&period=month").entry(friend)["change"] == 1)
        #expect(await room.owner.board(room, "period=day&at=2026-11-20").entry(friend)["change"].isNull)
    }

    @Test func `on the first day of a month ranks move from the last month's final ones`() async throws {
        let room = try await Room(at: "2026-11-21T03:00:00Z")
        let (leaver, friend) = (try await room.join("Haneul"), try await room.join("Minseo"))
        await leaver.log("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z")
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        try await TestDatabase.current.setClock("2026-12-01T03:00:00Z")
        _ = await leaver.delete("\(room.path)/members/\(leaver.id)")
        let newcomer = try await room.join("Jun")
        await friend.log("2026-12-01T01:00:00Z", "2026-12-01T02:00:00Z")
        let board = await room.owner.board(room)
        // In November: Haneul 1, Dodam 2, Minseo 3.
        #expect(board.entry(friend)["rank"] == 1)
        #expect(board.entry(friend)["change"] == 2)
        #expect(board.entry(room.owner)["rank"] == 2)
        #expect(board.entry(room.owner)["change"] == 0)
        #expect(board.entry(newcomer)["change"].isNull)
    }
}
