import Foundation
import HTTP
import Postgres
import Reactor
import TestSupport
import Testing

@testable import Ranking

/// Groups beside groups, at noon of 21 November in Seoul.
@Suite(.database) struct GroupsBoardTests {
    /// A group of so many that takes part, whose members have run a timer that long between them and it.
    private func group(
        _ seconds: [Int], _ changes: JSON = ["duel": true], rules: JSON = [:]
    ) async throws -> (room: Room, members: [Person]) {
        let room = try await Room(rules: rules)
        var members = [room.owner]
        for number in 1..<max(seconds.count, 1) { members.append(try await room.join("Ant \(number)")) }
        for (member, seconds) in zip(members, seconds) where seconds > 0 {
            try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
            try await member.run(seconds)
        }
        try await TestDatabase.current.setClock("2026-11-21T09:00:00Z")
        _ = await room.owner.patch(room.path, changes)
        return (room, members)
    }

    private func renew() async throws {
        try await Chore.renewGroupMeans(TestDatabase.current.database, pause: .zero).run()
    }

    private func board(_ reader: Person, _ query: String = "") async -> JSON {
        await reader.get("/leaderboard/groups?\(query)").json
    }

    @Test func `groups that take part are ranked by timer seconds per member, ties included`() async throws {
        let (first, members) = try await group([7200, 3600, 1800, 0, 1])
        let (second, _) = try await group([600, 600, 600, 600, 600, 600])
        let (third, _) = try await group([3000, 0, 0, 0, 0])
        let board = await board(members[1])
        #expect(board["at"] == "2026-11" && board["period"] == "month" && board["next"].isNull)
        #expect(board["entries"].array?.map(\.["mean_seconds"].int) == [2520, 600, 600])
        #expect(board.ranks == [1, 2, 2])
        #expect(board["entries"].array?.first { $0["group"]["id"].string == second.id }?["member_count"] == 6)
        let tied = [second.id, third.id].sorted(by: >)
        #expect(board["entries"].array?.map(\.["group"]["id"].string) == [first.id] + tied)
        #expect(board["entries"].array?.map(\.["mine"]) == [true, false, false])
        #expect(
            board["entries"][0]["group"] == [
                "id": .string(first.id), "name": "Grad Exam Room", "colour": "leaf", "emoji": nil,
            ])
        #expect(board["entries"][0]["rules"]["daily_cap_seconds"] == 57_600)
        #expect(board["mine"][0]["rank"] == 1 && board["mine"][0]["gap_to_next_seconds"].isNull)
        let other = await self.board(second.owner)["mine"]
        #expect(other.array?.count == 1)
        #expect(other[0]["rank"] == 2 && other[0]["gap_to_next_seconds"] == 1920)
    }

    @Test func `time logged by hand and what is above the cap are left out, and so are one or two who hide`()
        async throws
    {
        let (room, members) = try await group([4000, 1000, 300, 300, 0], rules: ["daily_cap_seconds": 3600])
        await members[2].log("2026-11-20T21:00:00Z", "2026-11-20T22:00:00Z")
        _ = await members[1].patch("\(room.path)/members/me", ["visibility": "hidden"])
        try await renew()
        // Four are too few.
        #expect(await board(members[0])["entries"] == [])
        for member in members[2...3] { _ = await member.patch("\(room.path)/members/me", ["visibility": "hidden"]) }
        try await renew()
        #expect(await board(members[0])["entries"][0]["mean_seconds"] == 1040)
        // By hand and by the timer on one day: the cap holds for what the timer alone would give.
        try await TestDatabase.current.setClock("2026-11-21T10:00:00Z")
        try await members[2].run(3000)
        try await renew()
        #expect(await board(members[0])["entries"][0]["mean_seconds"] == 1640)
    }

    @Test func `fewer than five are on no board, and who is suspended is not counted`() async throws {
        let (small, four) = try await group([600, 600, 600, 600])
        #expect(await board(four[0])["entries"].array?.isEmpty == true)
        #expect(await board(four[0])["mine"].array?.isEmpty == true)
        let fifth = try await small.join("Fifth")
        try await renew()
        #expect(await board(four[0])["entries"][0]["mean_seconds"] == 480)
        let sixth = try await small.join("Sixth")
        try await TestDatabase.current.sql(
            """
            INSERT INTO suspensions (group_id, uid, reason, until, suspended_by)
            VALUES ('\(small.id)', '\(sixth.id)', 'x', anthill_clock() + interval '1 hour', '\(small.owner.id)')
            """)
        try await renew()
        #expect(await board(four[0])["entries"][0]["member_count"] == 5)
        try await TestDatabase.current.advance(3600)
        try await renew()
        #expect(await board(four[0])["entries"][0]["member_count"] == 6)
        #expect(await board(four[0])["entries"][0]["mean_seconds"] == 400)
        for person in [fifth, sixth] { _ = await person.delete("\(small.path)/members/\(person.id)") }
        try await renew()
        #expect(await board(four[0])["entries"].array?.isEmpty == true)
    }

    @Test func `only admins let a group take part, and opting out takes it off every month at once`() async throws {
        let (room, members) = try await group([600, 600, 600, 600, 600], [:])
        #expect(await members[1].patch(room.path, ["duel": true]).status == .forbidden)
        try await renew()
        #expect(await board(members[1])["entries"].array?.isEmpty == true)
        _ = await room.owner.patch(room.path, ["duel": true])
        #expect(await board(members[1])["entries"].array?.count == 1)
        try await TestDatabase.current.setClock("2026-12-10T03:00:00Z")
        try await MonthCloser(database: TestDatabase.current.service) { Issue.record($0) }.run()
        #expect(await board(members[1], "at=2026-11")["entries"][0]["mean_seconds"] == 600)
        _ = await room.owner.patch(room.path, ["duel": false])
        #expect(await board(members[1], "at=2026-11")["entries"].array?.isEmpty == true)
        // A group that takes part again brings the closed months back, too.
        _ = await room.owner.patch(room.path, ["duel": true])
        #expect(await board(members[1], "at=2026-11")["entries"][0]["mean_seconds"] == 600)
        _ = await room.owner.delete(room.path)
        #expect(await board(members[1], "at=2026-11")["entries"].array?.isEmpty == true)
    }

    @Test func `a closed month is that of its standings with their amendments, whatever members do`() async throws {
        let (room, members) = try await group([700, 600, 600, 600, 500])
        try await TestDatabase.current.setClock("2026-12-01T03:00:00Z")
        let newcomer = try await room.join("Late")
        _ = await members[4].delete("\(room.path)/members/\(members[4].id)")
        try await newcomer.run(60)
        try await renew()
        // In the month's grace it is still who was a member at its end.
        #expect(await board(newcomer, "at=2026-11")["entries"][0]["mean_seconds"] == 600)
        #expect(await board(newcomer)["entries"][0]["mean_seconds"] == 12)
        try await TestDatabase.current.setClock("2026-12-10T03:00:00Z")
        try await MonthCloser(database: TestDatabase.current.service) { Issue.record($0) }.run()
        try await renew()
        #expect(await board(newcomer, "at=2026-11")["entries"][0]["mean_seconds"] == 600)
        _ = await room.owner.post(
            "\(room.path)/standings/2026-11/amendments",
            ["uid": .string(members[1].id), "seconds": 100, "reason": "left running"])
        let amended = await board(newcomer, "at=2026-11")
        #expect(amended["entries"][0]["mean_seconds"] == 500 && amended["entries"][0]["member_count"] == 5)
        #expect(amended["entries"][0]["mine"] == true && amended["at"] == "2026-11")
        let earlier = await board(newcomer, "at=2026-10")
        #expect(earlier["entries"].array?.isEmpty == true && earlier["mine"].array?.isEmpty == true)
    }

    @Test func `a mean that cannot be counted keeps no month open, and is left out`() async throws {
        let (room, members) = try await group([700, 600, 600, 600, 500])
        let (other, _) = try await group([600, 600, 600, 600, 600])
        try await TestDatabase.current.sql(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'never'; END $$;
            CREATE TRIGGER refused BEFORE INSERT ON group_means FOR EACH ROW WHEN (new.group_id = '\(room.id)')
              EXECUTE FUNCTION refuse();
            """)
        try await TestDatabase.current.setClock("2026-12-10T03:00:00Z")
        try await MonthCloser(database: TestDatabase.current.service) { Issue.record($0) }.run()
        #expect(await room.owner.get("\(room.path)/standings").json["items"].array?.count == 1)
        let amend = { (seconds: Int) in
            await room.owner.post(
                "\(room.path)/standings/2026-11/amendments",
                ["uid": .string(members[1].id), "seconds": .integer(seconds), "reason": "left running"])
        }
        #expect(await amend(100).status == .created)
        let board = await board(members[0], "at=2026-11")
        #expect(board["entries"].array?.map(\.["group"]["id"].string) == [other.id])
        try await TestDatabase.current.sql("DROP TRIGGER refused ON group_means")
        #expect(await amend(200).status == .created)
        #expect(await self.board(members[0], "at=2026-11")["entries"][1]["mean_seconds"] == 520)
    }

    @Test func `it says when the means were counted, once a minute however many instances there are`() async throws {
        let (room, members) = try await group([600, 600, 600, 600, 600])
        let means = Chore.renewGroupMeans(TestDatabase.current.database)
        try await means.run()
        #expect(await board(room.owner)["as_of"] == "2026-11-21T09:00:00Z")
        try await members[1].run(50)
        try await means.run()
        #expect(await board(room.owner)["as_of"] == "2026-11-21T09:00:00Z")
        #expect(await board(room.owner)["entries"][0]["mean_seconds"] == 600)
        try await members[1].run(5)
        try await means.run()
        #expect(await board(room.owner)["as_of"] == "2026-11-21T09:00:55Z")
        #expect(await board(room.owner)["entries"][0]["mean_seconds"] == 611)
    }

    @Test func `pages follow one another without a gap, ties included`() async throws {
        let reader = try await Room().owner
        try await TestDatabase.current.sql(
            """
            WITH made AS (
              INSERT INTO groups (name, duel) SELECT 'Group ' || n, true FROM generate_series(1, 23) n RETURNING group_id, name
            )
            INSERT INTO group_means (month, group_id, rules_id, member_count, mean_seconds)
            SELECT '2026-11-01', group_id, (SELECT max(rules_id) FROM ranking_rules), 5, 600 + substr(name, 7)::integer % 4 FROM made
            """)
        let whole = await board(reader, "limit=200")
        #expect(whole["entries"].array?.count == 23)
        #expect(Set(whole.ranks) == [1, 7, 13, 19])
        for limit in [1, 2, 5, 7, 23] {
            var (ids, ranks, cursor) = ([String](), [Int](), "")
            repeat {
                let page = await board(reader, "limit=\(limit)\(cursor)")
                ids += page["entries"].array?.compactMap { $0["group"]["id"].string } ?? []
                ranks += page.ranks
                cursor = page["next"].string.map { "&after=\($0)" } ?? ""
            } while !cursor.isEmpty
            #expect(ids == whole["entries"].array?.compactMap { $0["group"]["id"].string })
            #expect(ranks == whole.ranks)
        }
    }

    @Test func `a round goes through all groups, some at a time`() async throws {
        var rooms: [Room] = []
        for _ in 0..<3 { rooms.append(try await group([300, 300, 300, 300, 300]).room) }
        try await TestDatabase.current.sql("DELETE FROM group_means")
        var steps = 0
        repeat {
            steps += 1
            let rows = try await TestDatabase.current.database.write("SELECT renew_group_means('0 seconds', 1)")
            if try rows[0].decode(Bool.self) == false { break }
        } while steps < 10
        #expect(steps == 4)
        #expect(await board(rooms[0].owner)["entries"].array?.count == 3)
    }

    @Test(arguments: [
        ("period=day", 422, "invalid_period", "period"), ("at=2026-11-21", 422, "invalid_period", "at"),
        ("at=2027-01", 422, "future_period", "at"), ("after=x", 400, "invalid_cursor", "after"),
        ("limit=0", 422, "invalid_limit", "limit"),
    ])
    func `what cannot be asked is refused by its name`(
        query: String, status: Int, code: String, field: String
    ) async throws {
        let person = try await Room().owner
        let answer = await person.get("/leaderboard/groups?\(query)")
        #expect(answer.status.code == status && answer.code == code && answer.json["field"].string == field)
    }
}
