import Foundation
import HTTP
import Postgres
import Ranking
import TestSupport
import Testing

/// What a suspension does to boards.
@Suite(.database) struct SuspendedTests {
    /// Haneul leads with two hours, then Dodam with one, then Minseo with half of one.
    private func three() async throws -> (room: Room, haneul: Person, minseo: Person) {
        let room = try await Room()
        let (haneul, minseo) = (try await room.join("Haneul"), try await room.join("Minseo"))
        await haneul.log("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z")
        await room.owner.log("2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z")
        await minseo.log("2026-11-21T00:00:00Z", "2026-11-21T00:30:00Z")
        return (room, haneul, minseo)
    }

    private func close() async throws {
        try await MonthCloser(database: TestDatabase.current.service) { Issue.record($0) }.run()
    }

    @Test(arguments: ["day", "week", "month"])
    func `who is suspended is on no board, and the others close up`(period: String) async throws {
        let (room, haneul, minseo) = try await three()
        let query = "period=\(period)"
        #expect(await minseo.board(room, query).ranks == [1, 2, 3])
        let id = await room.suspend(haneul, until: "2026-11-22T03:00:00Z")
        let board = await minseo.board(room, query)
        #expect(board.nicknames == ["Dodam", "Minseo"])
        #expect(board.ranks == [1, 2])
        #expect(board["participants"] == 2)
        #expect(board["me"]["gap_to_next_seconds"] == 1800)
        let own = await haneul.board(room, query)
        #expect(own["me"].isNull)
        #expect(own.nicknames == ["Dodam", "Minseo"])
        let table = await haneul.get("\(room.path)/leaderboard.csv?\(query)")
        #expect(!String(decoding: table.body, as: UTF8.self).contains("Haneul"))
        _ = await room.owner.delete("\(room.path)/suspensions/\(id)")
        #expect(await minseo.board(room, query).nicknames == ["Haneul", "Dodam", "Minseo"])
    }

    @Test(arguments: ["goal", "consistency"], ["", "&as_of=2026-11-21T03:00:00Z"])
    func `no order of a board has them`(order: String, instant: String) async throws {
        let (room, haneul, minseo) = try await three()
        let query = "order=\(order)\(instant)"
        #expect(await minseo.board(room, query)["participants"] == 3)
        await room.suspend(haneul, until: "2026-11-22T03:00:00Z")
        #expect(Set(await minseo.board(room, query).nicknames) == ["Dodam", "Minseo"])
        #expect(await haneul.board(room, query)["me"].isNull)
    }

    @Test func `their number stays explained, without a rank`() async throws {
        let (room, haneul, _) = try await three()
        let before = await haneul.explanation(room)
        await room.suspend(haneul, until: "2026-11-22T03:00:00Z")
        for number in [await haneul.explanation(room), await room.owner.explanation(room, "uid=\(haneul.id)")] {
            #expect(number["rank"].isNull)
            #expect(number["seconds"] == 7200)
            #expect(number["manual_seconds"] == 7200)
            #expect(number["amended_seconds"] == 0)
            #expect(number["days"] == before["days"])
        }
        // A month before they joined is none of theirs to explain.
        #expect(await haneul.explanation(room, "at=2026-10")["seconds"] == 0)
    }

    @Test func `a board of a past instant leaves out who was suspended then`() async throws {
        let (room, haneul, _) = try await three()
        try await TestDatabase.current.setClock("2026-11-21T04:00:00Z")
        await room.suspend(haneul, until: "2026-11-21T06:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T08:00:00Z")
        let expected = [
            ("2026-11-21T03:59:59Z", 3), ("2026-11-21T04:00:00Z", 2), ("2026-11-21T05:59:59Z", 2),
            ("2026-11-21T06:00:00Z", 3),
        ]
        for (instant, participants) in expected {
            let board = await room.owner.board(room, "as_of=\(instant)")
            #expect(board["participants"].int == participants, "\(instant)")
            #expect(board.nicknames.contains("Haneul") == (participants == 3), "\(instant)")
        }
        #expect(await room.owner.board(room)["participants"] == 3)
    }

    @Test func `a month that is closed meanwhile leaves them out for good, also its days`() async throws {
        let room = try await Room(at: "2026-10-20T03:00:00Z")
        let (haneul, minseo) = (try await room.join("Haneul"), try await room.join("Minseo"))
        await haneul.log("2026-10-20T00:00:00Z", "2026-10-20T02:00:00Z")
        await minseo.log("2026-10-20T00:00:00Z", "2026-10-20T01:00:00Z")
        try await TestDatabase.current.setClock("2026-10-30T00:00:00Z")
        let id = await room.suspend(haneul, until: "2026-12-24T00:00:00Z")
        // The service was down at the close, and by now they are let back.
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        _ = await room.owner.delete("\(room.path)/suspensions/\(id)")
        try await close()
        let standings = await minseo.standings(room, "2026-10")
        #expect(standings["entries"].array?.map { $0["nickname"] } == ["Minseo", "Dodam"])
        #expect(await haneul.board(room, "at=2026-10")["me"].isNull)
        #expect(await minseo.board(room, "period=day&at=2026-10-20").nicknames == ["Minseo", "Dodam"])
        #expect(await minseo.board(room, "at=2026-10&as_of=2026-11-04T00:00:00Z").nicknames == ["Minseo", "Dodam"])
        let pastDay = "period=day&at=2026-10-20&as_of=2026-11-05T00:00:00Z"
        #expect(await minseo.board(room, pastDay).nicknames == ["Minseo", "Dodam"])
        let number = await haneul.explanation(room, "at=2026-10")
        #expect(number["rank"].isNull)
        #expect(number["seconds"] == 7200)
        #expect(await haneul.board(room, "at=2026-11")["participants"] == 3)
        #expect(await haneul.get("/me/standings").json["items"] == [])
    }

    @Test func `a month that was closed before keeps them, also its days`() async throws {
        let room = try await Room(at: "2026-10-20T03:00:00Z")
        let haneul = try await room.join("Haneul")
        await haneul.log("2026-10-20T00:00:00Z", "2026-10-20T02:00:00Z")
        // In the second of the close, while nothing has written it down yet.
        try await TestDatabase.current.setClock("2026-11-02T20:00:00Z")
        await room.suspend(haneul, until: "2026-11-24T00:00:00Z")
        #expect(await room.owner.board(room, "at=2026-10").nicknames == ["Haneul", "Dodam"])
        try await close()
        let standings = await haneul.standings(room, "2026-10")
        #expect(standings["me"]["rank"] == 1)
        #expect(await haneul.board(room, "at=2026-10")["me"]["rank"] == 1)
        #expect(await room.owner.board(room, "period=day&at=2026-10-20").nicknames == ["Haneul", "Dodam"])
        #expect(await haneul.explanation(room, "at=2026-10")["rank"] == 1)
        #expect(await room.owner.board(room, "period=day&at=2026-11-02").nicknames == ["Dodam"])
    }

    @Test func `a live board follows a suspension, its lifting and its end`() async throws {
        let (room, haneul, minseo) = try await three()
        let live = Instance.quick()
        let viewer = try await Viewer(minseo, room, live)
        #expect(try await viewer.board()?.board["participants"] == 3)
        let id = await room.suspend(haneul, until: "2026-11-21T05:00:00Z")
        #expect(try await viewer.board()?.board.nicknames == ["Dodam", "Minseo"])
        _ = await room.owner.delete("\(room.path)/suspensions/\(id)")
        #expect(try await viewer.board()?.board["participants"] == 3)
        // Nobody writes when this one ends.
        await room.suspend(haneul, until: "2026-11-21T05:00:00Z")
        let event = try #require(try await viewer.board())
        #expect(event.board["participants"] == 2)
        try await TestDatabase.current.setClock("2026-11-21T05:00:00Z")
        #expect(try await viewer.board()?.board["participants"] == 3)
        live.stop()
    }

    @Test func `who comes back to a live board after a suspension has run out gets it anew`() async throws {
        let (room, haneul, minseo) = try await three()
        await room.suspend(haneul, until: "2026-11-21T03:00:10Z")
        let live = Instance.quick()
        let viewer = try await Viewer(minseo, room, live)
        let id = try #require(try await viewer.next()?.id)
        await viewer.leave()
        try await TestDatabase.current.advance(9)
        let early = try await Viewer(minseo, room, live, lastID: id)
        #expect(try await early.next()?.name == "ping")
        await early.leave()
        try await TestDatabase.current.advance(1)
        let late = try await Viewer(minseo, room, live, lastID: id)
        #expect(try await late.next()?.board["participants"] == 3)
        live.stop()
    }
}

extension Room {
    /// By the owner; answers the suspension's id.
    @discardableResult
    func suspend(_ member: Person, until: String) async -> String {
        let body: JSON = ["uid": .string(member.id), "reason": "x", "until": .string(until)]
        return await owner.post("\(path)/suspensions", body).json["id"].string ?? "-"
    }
}
