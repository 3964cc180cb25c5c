import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct BoardTableTests {
    @Test func `a board comes as a table of everyone, and says nothing of who hides`() async throws {
        let room = try await Room()
        let friend = try await room.join("=Haneul, \"Sky\"")
        let hidden = try await room.join("Hidden")
        _ = await hidden.patch("\(room.path)/members/me", ["visibility": "hidden"])
        await room.owner.log("2026-11-20T22:00:00Z", "2026-11-20T23:00:05Z")
        await friend.log("2026-11-20T22:00:00Z", "2026-11-21T00:00:00Z")
        let answer = await room.owner.get("\(room.path)/leaderboard.csv?at=2026-11")
        #expect(answer.headers["Content-Type"] == "text/csv; charset=utf-8")
        #expect(answer.headers["Content-Disposition"] == "attachment; filename=\"anthill-board-2026-11.csv\"")
        #expect(answer.headers["Cache-Control"] == "no-store")
        let lines = try CSV.records(answer.body).map(\.fields)
        #expect(lines.count == 4)
        #expect(lines[0] == ["rank", "nickname", "uid", "seconds", "time", "manual_seconds", "change"])
        #expect(lines[1].map(CSV.plain)[0...4] == ["1", "=Haneul, \"Sky\"", friend.id, "7200", "2:00:00"])
        #expect(lines[2][0...5] == ["2", "Dodam", room.owner.id, "3605", "1:00:05", "3605"])
        #expect(lines[3] == ["3", "", "", "", "", "", ""])
    }

    @Test func `a fall in rank is a number that a spreadsheet can add up`() async throws {
        let room = try await Room(at: "2026-11-20T03:00:00Z")
        let friend = try await room.join("Haneul")
        await room.owner.log("2026-11-20T01:00:00Z", "2026-11-20T02:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        await friend.log("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z")
        let answer = await room.owner.get("\(room.path)/leaderboard.csv?period=month")
        let changes = try CSV.records(answer.body).map { $0.fields[6] }
        #expect(changes == ["change", "1", "-1"])
    }

    @Test func `strangers and wrong periods get no table`() async throws {
        let room = try await Room()
        let stranger = try await Person("Stranger", everything())
        #expect(await stranger.get("\(room.path)/leaderboard.csv").status == .notFound)
        #expect(await room.owner.get("\(room.path)/leaderboard.csv?at=2026-13").json["code"] == "invalid_period")
        #expect(await room.owner.get("\(room.path)/leaderboard.csv?at=2027-01").json["code"] == "future_period")
    }
}
