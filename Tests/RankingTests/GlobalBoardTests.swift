import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Ranking

@Suite(.database) struct GlobalBoardTests {
    /// Somebody at noon of 21 November in Seoul who has run the timer for so long.
    private func person(_ nickname: String, seconds: Int, isIn: Bool = true) async throws -> Person {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let person = try await Person(nickname, everything())
        if isIn { try await choose(person, true) }
        if seconds > 0 { try await person.run(seconds) }
        return person
    }

    private func choose(_ person: Person, _ wanted: Bool) async throws {
        _ = try await TestDatabase.current.database.write("SELECT set_global_board(\(person.uid), \(wanted))")
    }

    private func fold() async throws { try await RankFolder(database: TestDatabase.current.database).run() }

    @Test func `the global board ranks everyone who opted in by their timer`() async throws {
        let first = try await person("Haneul", seconds: 7200)
        let second = try await person("Dodam", seconds: 3600)
        _ = try await person("Private", seconds: 9000, isIn: false)
        await second.log("2026-11-21T00:00:00Z", "2026-11-21T02:00:00Z")
        let board = await second.get("/leaderboard").json
        #expect(board["group"].isNull)
        #expect(board["at"] == "2026-11")
        #expect(board["rules"]["manual_counts"] == false)
        #expect(board.nicknames == ["Haneul", "Dodam"])
        #expect(board.seconds == [7200, 3600])
        #expect(board["participants"] == 2)
        #expect(board["me"]["rank"] == 2)
        #expect(board["me"]["gap_to_next_seconds"] == 3600)
        #expect(board["me"]["neighbours"][0]["uid"].string == first.id)
        #expect(board["entries"][0]["change"].isNull)
    }

    @Test func `folded or not, the answer is the same`() async throws {
        for number in 0..<5 { _ = try await person("Ant \(number)", seconds: [59, 60, 3600, 3600, 3661][number]) }
        let reader = try await person("Reader", seconds: 60)
        let before = await reader.get("/leaderboard").json
        #expect(before.ranks == [1, 2, 2, 4, 4, 6])
        func waiting() async throws -> Int {
            try await TestDatabase.current.database.read("SELECT count(*)::integer FROM rank_deltas")[0].decode(
                Int.self)
        }
        // What is as young as a transaction that is still under way, any other test's, waits for the next round.
        for _ in 0..<1000 where try await waiting() > 0 {
            try await fold()
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await waiting() == 0)
        let after = await reader.get("/leaderboard").json
        #expect(after["entries"] == before["entries"])
        #expect(after["me"] == before["me"])
    }

    @Test func `pages follow one another without a gap, ties included`() async throws {
        for number in 0..<7 { _ = try await person("Ant \(number)", seconds: 600 + number % 3) }
        let reader = try await person("Reader", seconds: 601)
        let whole = await reader.get("/leaderboard").json
        var (uids, ranks, cursor) = ([String](), [Int](), "")
        repeat {
            let page = await reader.get("/leaderboard?limit=3\(cursor)").json
            uids += page["entries"].array?.compactMap { $0["uid"].string } ?? []
            ranks += page.ranks
            #expect(page["me"].isNull == !cursor.isEmpty)
            cursor = page["next"].string.map { "&after=\($0)" } ?? ""
        } while !cursor.isEmpty
        #expect(uids == whole["entries"].array?.compactMap { $0["uid"].string })
        #expect(ranks == whole.ranks)
        #expect(uids.count == 8)
    }

    @Test func `who has not opted in sees the board and is not on it`() async throws {
        _ = try await person("Haneul", seconds: 60)
        let reader = try await person("Reader", seconds: 3600, isIn: false)
        let board = await reader.get("/leaderboard").json
        #expect(board.nicknames == ["Haneul"])
        #expect(board["me"].isNull)
    }

    @Test func `who opted in and has nothing yet reads the rank to begin from`() async throws {
        _ = try await person("Haneul", seconds: 60)
        let reader = try await person("Reader", seconds: 0)
        let board = await reader.get("/leaderboard").json
        #expect(board["participants"] == 1)
        #expect(board["me"]["rank"] == 2)
        #expect(board["me"]["seconds"] == 0)
        #expect(board["me"]["gap_to_next_seconds"] == 60)
    }

    @Test func `opting out takes one off the months that are open and leaves the closed ones`() async throws {
        let person = try await person("Haneul", seconds: 3600)
        try await TestDatabase.current.setClock("2026-12-10T03:00:00Z")
        try await person.run(600)
        try await choose(person, false)
        try await fold()
        #expect(await person.get("/leaderboard").json["participants"] == 0)
        let closed = await person.get("/leaderboard?at=2026-11").json
        #expect(closed["state"] == "closed")
        #expect(closed.nicknames == ["Haneul"])
        #expect(closed["me"]["rank"] == 1)
    }

    @Test(arguments: [
        ("period=day", 422, "invalid_period", "period"), ("period=week", 422, "invalid_period", "period"),
        ("at=2026-11-21", 422, "invalid_period", "at"), ("at=2027-01", 422, "future_period", "at"),
        ("after=x", 400, "invalid_cursor", "after"), ("limit=0", 422, "invalid_limit", "limit"),
    ])
    func `what cannot be asked is refused by its name`(
        query: String, status: Int, code: String, field: String
    ) async throws {
        let person = try await person("Haneul", seconds: 0)
        let answer = await person.get("/leaderboard?\(query)")
        #expect(answer.status.code == status)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
    }

    @Test(arguments: ["/leaderboard", "/leaderboard/groups"])
    func `a board that has months alone says so when another period is asked for`(path: String) async throws {
        let person = try await person("Haneul", seconds: 0)
        for query in ["period=day", "period=week", "period=week&at=2026-11-16", "at=2026-11-21"] {
            let detail = await person.get("\(path)?\(query)").json["detail"].string ?? "-"
            #expect(detail == "This board is by month: the only period is month, and at is written like 2026-11.")
        }
        #expect(await person.get("\(path)?period=month&at=2026-11").status == .ok)
    }
}
