import HTTP
import Postgres
import Ranking
import Study
import TestSupport
import Testing
import Time

@Suite(.database) struct BoardOrderTests {
    /// Two days of November, the 20th and 21st, with goals of one and two hours, of people who came on the 20th.
    private func room() async throws -> (room: Room, haneul: Person, minseo: Person) {
        let room = try await Room(at: "2026-11-20T03:00:00Z")
        let (haneul, minseo) = (try await room.join("Haneul"), try await room.join("Minseo"))
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        try await aim(room.owner, 3600)
        try await aim(haneul, 7200)
        try await aim(minseo, 3600)
        await room.owner.log("2026-11-20T01:00:00Z", "2026-11-20T03:00:00Z")
        await haneul.log("2026-11-20T01:00:00Z", "2026-11-20T03:00:00Z")
        await haneul.log("2026-11-21T01:00:00Z", "2026-11-21T03:00:00Z")
        await minseo.log("2026-11-20T01:00:00Z", "2026-11-20T01:59:59Z")
        return (room, haneul, minseo)
    }

    /// Their goal from today on, and as the first one there is, before.
    private func aim(_ person: Person, _ seconds: Int) async throws {
        let database = TestDatabase.current.database
        _ = try await database.write("SELECT set_daily_goal(\(person.uid), \(seconds))")
        _ = try await database.write("DELETE FROM past_goals WHERE uid = \(person.uid)")
    }

    @Test func `by goal, who got further towards their own goals is first`() async throws {
        let (room, haneul, minseo) = try await room()
        let board = await minseo.board(room, "period=week&order=goal")
        #expect(board["order"] == "goal" && board["days"] == 6)
        // 2 h of 6 × 1 h, 4 h of 6 × 2 h, 59:59 of 6 × 1 h.
        #expect(board.entry(room.owner)["goal_permille"] == 333)
        #expect(board.entry(haneul)["goal_permille"] == 333)
        #expect(board.entry(minseo)["goal_permille"] == 166)
        #expect(board.ranks == [1, 1, 3])
        #expect(board.entry(haneul)["seconds"] == 14_400)
        #expect(board["me"]["gap_to_next_seconds"].isNull)
        #expect(board["me"]["gap_to_next_permille"] == 167)
        // This morning the owner was in front: 400 of 1,000 against 200.
        #expect(board.entry(room.owner)["change"] == 0)
        #expect(board.entry(haneul)["change"] == 1)
    }

    @Test func `by consistency, who met the goal on more days is first`() async throws {
        let (room, haneul, minseo) = try await room()
        let board = await minseo.board(room, "order=consistency")
        #expect(board["days"] == 21)
        #expect(board.nicknames == ["Haneul", "Dodam", "Minseo"])
        #expect(board["entries"].array?.map(\.["days_met"]) == [2, 1, 0])
        #expect(board.ranks == [1, 2, 3])
        #expect(board.entry(haneul)["change"] == 0)
        #expect(board.entry(room.owner)["change"] == -1)
        #expect(board["me"]["gap_to_next_days"] == 1)
        #expect(board["me"]["gap_to_next_permille"].isNull)
        #expect(await haneul.board(room, "order=consistency&period=day")["me"]["days_met"] == 1)
        #expect(await haneul.board(room, "order=consistency&period=day")["days"] == 1)
    }

    @Test func `by seconds nothing is said of goals`() async throws {
        let (room, _, _) = try await room()
        let board = await room.owner.board(room)
        #expect(board == (await room.owner.board(room, "order=seconds")))
        #expect(board["order"] == "seconds")
        for name in ["days", "goal_permille", "days_met", "gap_to_next_permille", "gap_to_next_days"] {
            #expect(board[name].isNull && board["me"][name].isNull && board.entry(room.owner)[name].isNull)
        }
    }

    @Test func `a running timer brings one nearer to the goal, and over it`() async throws {
        let (room, _, minseo) = try await room()
        try await TestDatabase.current.setClock("2026-11-22T01:00:00Z")
        _ = await minseo.post("/me/timer/start")
        try await TestDatabase.current.advance(3599)
        let before = await minseo.board(room, "order=consistency")["me"]
        #expect(before["days_met"] == 0 && before["goal_permille"] == 90 && before["studying"] == true)
        try await TestDatabase.current.advance(1)
        #expect(await minseo.board(room, "order=consistency")["me"]["days_met"] == 1)
        #expect(await minseo.board(room, "order=goal&period=day")["me"]["goal_permille"] == 1000)
    }

    @Test func `a day keeps the goal that it had`() async throws {
        let (room, _, minseo) = try await room()
        try await TestDatabase.current.setClock("2026-11-22T01:00:00Z")
        _ = try await TestDatabase.current.database.write("SELECT set_daily_goal(\(minseo.uid), 60)")
        let mine = await minseo.board(room, "order=consistency&period=week")["me"]
        // 59:59 of six hours and a minute.
        #expect(mine["days_met"] == 0 && mine["goal_permille"] == 166)
        await minseo.log("2026-11-22T00:00:00Z", "2026-11-22T00:01:00Z")
        #expect(await minseo.board(room, "order=consistency&period=week")["me"]["days_met"] == 1)
    }

    @Test func `who hides keeps the ranks right, who is suspended has none`() async throws {
        let (room, haneul, minseo) = try await room()
        _ = await haneul.patch("\(room.path)/members/me", ["visibility": "hidden"])
        let board = await minseo.board(room, "order=consistency")
        #expect(board.nicknames == ["Dodam", "Minseo"] && board.ranks == [1, 2, 3])
        #expect(board["entries"][0].isSomeone(at: 1))
        #expect(await haneul.board(room, "order=consistency")["me"]["rank"] == 1)
        _ = try await TestDatabase.current.database.write(
            """
            INSERT INTO suspensions (group_id, uid, reason, until, suspended_by)
            VALUES (\(ID(room.id)), \(haneul.uid), '-', anthill_clock() + interval '1 day', \(room.owner.uid))
            """)
        #expect(await minseo.board(room, "order=consistency").ranks == [1, 2])
        #expect(await minseo.board(room, "order=goal")["participants"] == 2)
    }

    @Test func `a closed month is ranked by its days, with the seconds that were amended`() async throws {
        let (room, haneul, minseo) = try await room()
        try await TestDatabase.current.setClock("2026-12-03T00:00:00Z")
        let group = ID(room.id)
        _ = try await TestDatabase.current.database.write("SELECT close_month(\(group), \(Day(iso: "2026-11-01")))")
        // Who left since is still on it, who came since is not.
        _ = await haneul.delete("\(room.path)/members/\(haneul.id)")
        _ = try await room.join("Late")
        _ = await room.owner.post(
            "\(room.path)/standings/2026-11/amendments",
            ["uid": .string(minseo.id), "seconds": 108_000, "reason": "The server was down"])
        let byDays = await minseo.board(room, "at=2026-11&order=consistency")
        #expect(byDays["state"] == "closed" && byDays["days"] == 30)
        #expect(byDays["entries"].array?.map(\.["days_met"]) == [2, 1, 0])
        let byGoal = await minseo.board(room, "at=2026-11&order=goal")
        #expect(byGoal.nicknames.first == "Minseo" && byGoal["me"]["goal_permille"] == 1000)
        #expect(byGoal.entry(haneul)["goal_permille"] == 66)
    }

    @Test func `a past instant has these orders too`() async throws {
        let (room, haneul, _) = try await room()
        let then = await room.owner.board(room, "order=consistency")
        try await TestDatabase.current.setClock("2026-11-22T03:00:00Z")
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        #expect(await room.owner.board(room, "order=consistency").entry(room.owner)["days_met"] == 2)
        #expect(await room.owner.board(room, "order=consistency&as_of=2026-11-21T03:00:00Z") == then)
        let goal = await haneul.board(room, "order=goal&period=week&as_of=2026-11-21T03:00:00Z")
        #expect(goal["me"]["goal_permille"] == 333 && goal["days"] == 6)
    }

    @Test(arguments: ["goal", "consistency"])
    func `pages follow one another, kept or not, and stay in their order`(order: String) async throws {
        let (room, _, minseo) = try await room()
        for number in 0..<4 { _ = try await room.join("Ant \(number)") }
        let whole = await minseo.board(room, "order=\(order)")
        for isKept in [true, false] {
            var (entries, next): ([JSON], String?) = ([], "")
            while let cursor = next {
                let after = cursor.isEmpty ? "" : "&after=\(cursor)"
                let page = await minseo.board(room, "order=\(order)&limit=2\(after)")
                entries += page["entries"].array ?? []
                next = page["next"].string
                if !isKept { _ = await room.owner.patch(room.path, ["name": .string("Room \(entries.count)")]) }
            }
            #expect(entries == whole["entries"].array && entries.count == 7)
        }
        let cursor = await minseo.board(room, "order=\(order)&limit=2")["next"].string ?? "-"
        let refused = await minseo.get("\(room.path)/leaderboard?limit=2&after=\(cursor)")
        #expect(refused.status == .badRequest && refused.code == "invalid_cursor")
    }

    @Test func `a table and a stream come in the order that was asked for`() async throws {
        let (room, haneul, minseo) = try await room()
        let table = await minseo.get("\(room.path)/leaderboard.csv?order=consistency")
        let lines = try CSV.records(table.body).map(\.fields)
        #expect(lines[0].suffix(3) == ["goal_permille", "days_met", "days"])
        #expect(lines.map { $0[1] } == ["nickname", "Haneul", "Dodam", "Minseo"])
        #expect(lines.map { $0[8] } == ["days_met", "2", "1", "0"] && lines[1][9] == "21")
        let live = Instance.quick()
        let viewer = try await Viewer(minseo, room, live, query: "?order=consistency")
        #expect(try await viewer.board()?.board.nicknames == ["Haneul", "Dodam", "Minseo"])
        await minseo.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        #expect(try await viewer.board()?.board.entry(minseo)["days_met"] == 1)
        #expect(await haneul.board(room, "order=consistency")["me"]["rank"] == 1)
        live.stop()
    }

    @Test(arguments: ["leaderboard", "leaderboard.csv", "leaderboard/stream"], ["time", "", "SECONDS"])
    func `another order is refused`(path: String, order: String) async throws {
        let room = try await Room()
        let answer = await room.owner.get("\(room.path)/\(path)?order=\(order)")
        #expect(answer.status == .unprocessable)
        #expect(answer.code == "invalid_order")
        #expect(answer.json["field"] == "order")
    }
}
