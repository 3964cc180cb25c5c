import Foundation
import HTTP
import Postgres
import Synchronization
import TestSupport
import Testing
import Time

@testable import Mail
@testable import Ranking

@Suite(.database) struct StandingsTests {
    /// October 2026 of a group in Seoul ended on 31 October at 20:00 UTC and closes on 2 November at 20:00 UTC.
    private func october() async throws -> (room: Room, friend: Person) {
        let room = try await Room(at: "2026-10-20T03:00:00Z")
        let friend = try await room.join("Haneul")
        await room.owner.log("2026-10-19T22:00:00Z", "2026-10-20T00:00:00Z")
        await friend.log("2026-10-19T22:00:00Z", "2026-10-19T23:00:00Z")
        return (room, friend)
    }

    /// Lets time pass; who looks in now and then stays signed in.
    private func wait(until time: String, _ person: Person) async throws {
        let goal = try #require(Instant(time))
        var now = try #require(Instant("2026-10-20T03:00:00Z"))
        while now < goal {
            now = min(goal, now + 25 * 86_400)
            try await TestDatabase.current.setClock("\(now)")
            _ = await person.get("/groups")
        }
    }

    private func close() async throws {
        try await MonthCloser(database: TestDatabase.current.service) { Issue.record($0) }.run()
    }

    @Test func `a month is sealed 48 h after its end, not a second before`() async throws {
        let (room, friend) = try await october()
        try await TestDatabase.current.setClock("2026-11-02T19:59:59Z")
        try await close()
        #expect(await room.owner.get("\(room.path)/standings").json["items"] == [])
        #expect(await room.owner.get("\(room.path)/standings/2026-10").status == .notFound)
        try await TestDatabase.current.advance(1)
        try await close()
        let standings = await friend.standings(room, "2026-10")
        #expect(standings["closed_at"] == "2026-11-02T20:00:00Z")
        #expect(standings["rules"]["time_zone"] == "Asia/Seoul" && standings["rules"]["day_starts_at"] == "05:00")
        #expect(standings["entries"].array?.map { $0["rank"] } == [1, 2])
        #expect(standings["entries"].array?.map { $0["seconds"] } == [7200, 3600])
        #expect(standings["entries"].array?.map { $0["nickname"] } == ["Dodam", "Haneul"])
        #expect(standings["me"]["rank"] == 2)
        #expect(standings["amendments"] == [])
        let listed = await friend.get("\(room.path)/standings").json["items"][0]
        #expect(listed["month"] == "2026-10")
        #expect(listed["sha256"] == standings["sha256"])
        #expect(listed["participants"] == 2)
        #expect(listed["rank"] == 2)
    }

    @Test func `the digest is that of the canonical text, and a person that of salt and uid`() async throws {
        let (room, friend) = try await october()
        try await TestDatabase.current.setClock("2026-11-03T00:00:00Z")
        try await close()
        let standings = await friend.standings(room, "2026-10")
        let entries = standings["entries"].array ?? []
        for entry in entries {
            let line = [
                "\(entry["rank"].int ?? 0)", "\(entry["seconds"].int ?? 0)", "\(entry["manual_seconds"].int ?? -1)",
                entry["person"].string ?? "", entry["seal_salt"].string ?? "",
            ].joined(separator: " ")
            #expect(try await sha256(Array(line.utf8)) == entry["line"].string)
        }
        let text =
            "anthill standings 2\ngroup \(room.id)\nmonth 2026-10\n"
            + entries.compactMap { $0["line"].string }.sorted().map { "\($0)\n" }.joined()
        #expect(try await sha256(Array(text.utf8)) == standings["sha256"].string)
        let salt = standings["me"]["salt"].string ?? ""
        let bytes = stride(from: 0, to: salt.count, by: 2).compactMap { UInt8(salt.dropFirst($0).prefix(2), radix: 16) }
        let uid = withUnsafeBytes(of: friend.uid.bytes) { Array($0) }
        #expect(try await sha256(bytes + uid) == standings["me"]["person"].string)
    }

    /// Hashed by the database, as the seal is: this test checks the sealed text, not the hash function.
    private func sha256(_ bytes: [UInt8]) async throws -> String {
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return try await TestDatabase.current.database.read("SELECT encode(sha256(decode(\(hex), 'hex')), 'hex')")[0]
            .decode(String.self)
    }

    @Test func `a group whose month cannot be closed is reported, and keeps no other waiting`() async throws {
        let (room, _) = try await october()
        let others = [try await Room(at: "2026-10-20T03:00:00Z"), try await Room(at: "2026-10-20T03:00:00Z")]
        try await TestDatabase.current.sql(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'never'; END $$;
            CREATE TRIGGER refused BEFORE INSERT ON month_closes FOR EACH ROW WHEN (new.group_id = '\(room.id)')
              EXECUTE FUNCTION refuse();
            """)
        try await TestDatabase.current.setClock("2026-11-03T00:00:00Z")
        let failures = Mutex<[MonthCloser.Failure]>([])
        let closer = MonthCloser(database: TestDatabase.current.service) { failure in
            failures.withLock { $0.append(failure) }
        }
        try await closer.run()
        #expect(
            failures.withLock { $0.map { "\($0.group) \($0.month.monthText)".lowercased() } } == ["\(room.id) 2026-10"])
        for other in others {
            #expect(await other.owner.get("\(other.path)/standings").json["items"].array?.count == 1)
        }
        #expect(await room.owner.get("\(room.path)/standings").json["items"] == [])
        // What kept it from being closed is gone.
        try await TestDatabase.current.sql("DROP TRIGGER refused ON month_closes")
        try await close()
        #expect(await room.owner.get("\(room.path)/standings").json["items"].array?.count == 1)
    }

    @Test func `closing again, also by many at once, changes nothing`() async throws {
        let (room, _) = try await october()
        try await TestDatabase.current.setClock("2026-11-03T00:00:00Z")
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 { tasks.addTask { try await self.close() } }
            try await tasks.waitForAll()
        }
        let first = await room.owner.standings(room, "2026-10")
        try await close()
        #expect(await room.owner.standings(room, "2026-10") == first)
        #expect(await room.owner.get("\(room.path)/standings").json["items"].array?.count == 1)
    }

    @Test func `months missed while nothing ran are closed one after the other`() async throws {
        let (room, _) = try await october()
        try await wait(until: "2027-02-10T00:00:00Z", room.owner)
        try await close()
        let months = await room.owner.get("\(room.path)/standings").json["items"].array?.map { $0["month"] }
        #expect(months == ["2027-01", "2026-12", "2026-11", "2026-10"])
        let page = await room.owner.get("\(room.path)/standings?limit=3").json
        let rest = await room.owner.get("\(room.path)/standings?after=\(page["next"].string ?? "-")").json
        #expect(rest["items"].array?.map { $0["month"] } == ["2026-10"])
    }

    @Test func `nothing enters or leaves a sealed month`() async throws {
        let (room, friend) = try await october()
        try await TestDatabase.current.setClock("2026-10-31T19:00:00Z")
        _ = await friend.post("/me/timer/start")
        try await TestDatabase.current.setClock("2026-11-02T19:00:00Z")
        let session = await friend.log("2026-10-31T19:30:00Z", "2026-10-31T19:40:00Z")
        #expect(session.json["code"] == "unconfirmed_timer")
        try await TestDatabase.current.setClock("2026-11-02T20:00:01Z")
        try await close()
        let refused = await room.owner.log("2026-10-31T19:59:00Z", "2026-10-31T20:00:01Z")
        #expect(refused.status == .unprocessable || refused.status == .conflict)
        let waiting =
            await friend.get("/me/sessions?from=2026-10-31&to=2026-11-01").json["items"][0]["id"].string ?? "-"
        let confirmed = await friend.put("/me/sessions/\(waiting)/end", ["ended_at": "2026-10-31T19:20:00Z"])
        #expect(confirmed.status == .ok)
        #expect(await friend.standings(room, "2026-10")["me"]["seconds"] == 3600)
        #expect(await friend.board(room, "at=2026-10")["me"]["seconds"] == 3600)
    }

    @Test func `an amendment shows old and new with its reason, and the seal still holds`() async throws {
        let (room, friend) = try await october()
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        let sealed = await friend.standings(room, "2026-10")
        let path = "\(room.path)/standings/2026-10/amendments"
        let body: JSON = ["uid": .string(friend.id), "seconds": 9000, "reason": "  Wrote it on paper  "]
        #expect(await friend.post(path, body).json["code"] == "not_allowed")
        let amended = await room.owner.post(path, body)
        #expect(amended.status == .created)
        let amendment = amended.json["amendments"][0]
        #expect(amendment["at"] == "2026-11-05T00:00:00Z")
        #expect(amendment["reason"] == "Wrote it on paper")
        #expect(amendment["by"] == "Dodam")
        #expect(amendment["uid"].string == friend.id)
        #expect([amendment["old_rank"], amendment["new_rank"]] == [2, 1])
        #expect([amendment["old_seconds"], amendment["new_seconds"]] == [3600, 9000])
        #expect(amended.json["sha256"] == sealed["sha256"])
        #expect(amended.json["entries"].array?.map { $0["seconds"] } == [7200, 3600])
        #expect(amended.json["entries"].array?.map { $0["amended_rank"] } == [2, 1])
        let board = await friend.board(room, "at=2026-10")
        #expect(board.nicknames == ["Haneul", "Dodam"])
        #expect(board["me"]["seconds"] == 9000)
        let opened = await friend.explanation(room, "at=2026-10")
        #expect(opened["seconds"] == 9000)
        #expect(opened["amended_seconds"] == 5400)
    }

    @Test func `strangers read a month that the group shows, and nothing that leads to an account`()
        async throws
    {
        let (room, friend) = try await october()
        let hidden = try await room.join("Sora")
        await hidden.log("2026-10-19T22:00:00Z", "2026-10-19T22:30:00Z")
        _ = await hidden.patch("\(room.path)/members/me", ["visibility": "hidden"])
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        let body: JSON = ["uid": .string(friend.id), "seconds": 9000, "reason": "On paper"]
        let path = "\(room.path)/standings/2026-10"
        let sealed = await room.owner.post("\(path)/amendments", body).json
        let inPublic = "/api/v1\(room.path)/public-standings"
        for place in [inPublic, "\(inPublic)/2026-10"] {
            #expect(await everything().get(place).status == .notFound)
        }
        _ = await room.owner.patch(room.path, ["months_public": true])
        let list = await everything().get(inPublic).json
        #expect(list["group"]["name"] == "Grad Exam Room" && list["items"][0]["month"] == "2026-10")
        #expect(list["items"][0]["rank"].isNull)
        let answer = await everything().get("\(inPublic)/2026-10")
        #expect(answer.json["sha256"] == sealed["sha256"])
        #expect(answer.json["entries"].array?.map { $0["nickname"].string } == ["Dodam", "Haneul", nil])
        #expect(answer.json["entries"].array?.map { $0["growth"].string } == ["seed", "seed", nil])
        #expect(answer.json["amendments"][0]["reason"] == "On paper")
        let text = String(decoding: answer.body, as: UTF8.self)
        for person in [room.owner, friend, hidden] { #expect(!text.contains(person.id)) }
        #expect(!text.contains("Sora") && answer.json["amendments"][0]["by"].isNull && answer.json["me"].isNull)
        #expect(await everything().get("\(inPublic)/2026-09").status == .notFound)
    }

    @Test func `of amendments within a second the last one holds`() async throws {
        let (room, friend) = try await october()
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        let all = Array(stride(from: 100, through: 600, by: 100))
        for seconds in all {
            let body: JSON = ["uid": .string(friend.id), "seconds": .integer(seconds), "reason": "x"]
            let amended = await room.owner.post("\(room.path)/standings/2026-10/amendments", body)
            #expect(amended.json["entries"].array?.compactMap { $0["amended_seconds"].int }.min() == seconds)
        }
        let amendments = await friend.standings(room, "2026-10")["amendments"].array
        #expect(amendments?.map { $0["new_seconds"].int } == all)
    }

    struct Refusal: Sendable {
        let body: JSON
        let status: Int
        let code: String
        let field: String

        init(_ body: JSON, _ status: Int, _ code: String, _ field: String) {
            self.body = body
            self.status = status
            self.code = code
            self.field = field
        }
    }

    static let refusals: [Refusal] = [
        Refusal(["seconds": 60, "reason": "x"], 400, "missing_field", "uid"),
        Refusal(["seconds": -1, "reason": "x"], 422, "invalid_seconds", "seconds"),
        Refusal(["seconds": 2_678_401, "reason": "x"], 422, "invalid_seconds", "seconds"),
        Refusal(["seconds": 9_000_000_000_000_000_000, "reason": "x"], 422, "invalid_seconds", "seconds"),
        Refusal(["seconds": 3600, "reason": "x"], 422, "nothing_changed", "seconds"),
        Refusal(["seconds": 60, "reason": " "], 422, "invalid_reason", "reason"),
        Refusal(
            ["seconds": 60, "reason": .string(String(repeating: "x", count: 501))], 422, "invalid_reason", "reason"),
        Refusal(["seconds": "60", "reason": "x"], 400, "wrong_type", "seconds"),
        Refusal(["seconds": 60], 400, "missing_field", "reason"),
    ]

    @Test(arguments: refusals)
    func `a wrong amendment is refused by its field`(refusal: Refusal) async throws {
        let (room, friend) = try await october()
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        guard case .object(var members) = refusal.body else { return }
        if refusal.field != "uid" { members["uid"] = .string(friend.id) }
        let answer = await room.owner.post("\(room.path)/standings/2026-10/amendments", .object(members))
        #expect(answer.status.code == refusal.status)
        #expect(answer.json["code"].string == refusal.code)
        #expect(answer.json["field"].string == refusal.field)
    }

    @Test func `an open month is not amended, nor somebody who was not in it`() async throws {
        let (room, friend) = try await october()
        let body: JSON = ["uid": .string(friend.id), "seconds": 60, "reason": "x"]
        let open = await room.owner.post("\(room.path)/standings/2026-10/amendments", body)
        #expect(open.status == .conflict)
        #expect(open.json["code"] == "month_not_closed")
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        let late = try await room.join("Late")
        let none = await room.owner.post(
            "\(room.path)/standings/2026-10/amendments", ["uid": .string(late.id), "seconds": 60, "reason": "x"])
        #expect(none.status == .notFound)
    }

    @Test func `who hides is in the seal, and nothing else of them is for others`() async throws {
        let (room, friend) = try await october()
        _ = await friend.patch("\(room.path)/members/me", ["visibility": "hidden"])
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        let own = await friend.standings(room, "2026-10")
        #expect(own["entries"][1]["nickname"] == "Haneul" && own["entries"][1]["hidden"] == false)
        let seen = await room.owner.standings(room, "2026-10")["entries"][1]
        #expect(seen["line"] == own["entries"][1]["line"])
        #expect(seen["rank"] == 2 && seen["amended_rank"] == 2 && seen["hidden"] == true)
        #expect(seen["amended_place"] == seen["amended_rank"])
        for name in seen.names.subtracting(["rank", "amended_rank", "amended_place", "hidden", "line"]) {
            #expect(seen[name].isNull, "\(name)")
        }
        // A correction of theirs tells that there was one, and why.
        let amendment: JSON = ["uid": .string(friend.id), "seconds": 8000, "reason": "the clock stood still"]
        #expect(await room.owner.post("\(room.path)/standings/2026-10/amendments", amendment).status == .created)
        let amended = await room.owner.standings(room, "2026-10")["amendments"][0]
        #expect(amended["reason"] == "the clock stood still")
        for name in ["uid", "nickname", "old_rank", "new_rank", "old_seconds", "new_seconds"] {
            #expect(amended[name].isNull, "\(name)")
        }
        #expect(await friend.standings(room, "2026-10")["amendments"][0]["new_seconds"] == 8000)
    }

    @Test func `all rights on the tables do not let anybody change what is final`() async throws {
        let (_, friend) = try await october()
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        let database = TestDatabase.current.database
        for statement: Query in [
            "UPDATE standings SET counted_seconds = 1", "UPDATE standings SET rank = rank + 1", "DELETE FROM standings",
            "TRUNCATE standings, amendments", "UPDATE standings SET nickname = 'x'", "DELETE FROM month_closes",
            "UPDATE month_closes SET closed_at = now()", "UPDATE standings SET person = sha256(person)",
        ] {
            await #expect(throws: PostgresError.self) { try await database.write(statement) }
        }
        _ = try await database.write("SELECT forget_in_standings(\(friend.uid))")
        let left = try await database.read("SELECT count(*) FROM standings WHERE uid IS NULL AND nickname IS NULL")
        #expect(try left[0].decode(Int.self) == 1)
    }

    @Test func `one's own history and the hall of fame follow the closed months`() async throws {
        let (room, friend) = try await october()
        try await TestDatabase.current.setClock("2026-11-10T03:00:00Z")
        await friend.log("2026-11-09T22:00:00Z", "2026-11-10T02:00:00Z")
        _ = await room.owner.get("/groups")
        try await TestDatabase.current.setClock("2026-12-05T00:00:00Z")
        try await close()
        let own = await friend.get("/me/standings").json["items"]
        #expect(own.array?.map { $0["month"] } == ["2026-11", "2026-10"])
        #expect(own.array?.map { $0["rank"] } == [1, 2])
        #expect(own[0]["group"]["name"] == "Grad Exam Room")
        #expect(own[0]["participants"] == 2)
        let fame = await room.owner.get("\(room.path)/hall-of-fame").json["items"]
        #expect(fame.array?.map { $0["nickname"] } == ["Haneul", "Dodam"])
        #expect(fame.array?.map { $0["firsts"] } == [1, 1])
        #expect(fame.array?.map { $0["podiums"] } == [2, 1])
        #expect(fame[0]["best_month"] == "2026-11")
        #expect(fame[0]["best_seconds"] == 14400)
        _ = await room.owner.delete(room.path)
        #expect(await friend.get("/me/standings").json["items"].array?.count == 2)
    }

    @Test func `the podium is a picture that needs nothing else`() async throws {
        let (room, friend) = try await october()
        _ = await friend.patch("/me", ["nickname": "A <b>&\"x"])
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        let picture = await room.owner.get("\(room.path)/standings/2026-10/podium.svg")
        #expect(picture.headers["Content-Type"] == "image/svg+xml; charset=utf-8")
        let text = String(decoding: picture.body, as: UTF8.self)
        #expect(text.contains("Dodam"))
        #expect(text.contains("2:00"))
        #expect(!text.contains("<b>"))
        #expect(!text.contains("href"))
        #expect(await room.owner.get("\(room.path)/standings/2026-09/podium.svg").status == .notFound)
    }

    @Test func `of many who are tied, the page, the picture and the letter have the same on the podium`() async throws {
        let (room, friend) = try await october()
        for name in ["Ahn", "Baek", "Choi", "Dan", "Eom"] {
            await (try await room.join(name)).log("2026-10-19T22:00:00Z", "2026-10-19T23:00:00Z")
        }
        try await wantsLetters(friend)
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        let board = await friend.board(room, "at=2026-10").nicknames
        #expect(board.count == 7)
        let entries = await friend.standings(room, "2026-10")["entries"].array ?? []
        let places = Dictionary(
            uniqueKeysWithValues: entries.map { ($0["nickname"].string ?? "-", $0["amended_place"].int ?? 0) })
        #expect(board.map { places[$0] } == [1, 2, 3, 4, 5, 6, 7])
        func named(in text: String) -> [String] {
            board.compactMap { name in text.range(of: name).map { ($0.lowerBound, name) } }
                .sorted { $0.0 < $1.0 }.map(\.1)
        }
        let picture = await friend.get("\(room.path)/standings/2026-10/podium.svg")
        #expect(named(in: String(decoding: picture.body, as: UTF8.self)) == Array(board.prefix(3)))
        let letter = try #require(try await letter())
        #expect(named(in: letter.text.replacing("Hello Haneul,", with: "")) == Array(board.prefix(3)))
    }

    /// What the member who waits for it is written about the month that was closed.
    private func letter() async throws -> Message? {
        let database = TestDatabase.current.database
        let (to, text) = try await database.read(
            "SELECT to_address, parameters::text FROM mail_outbox WHERE kind = 'month_digest'"
        ).one.decode(String.self, String.self)
        let item = OutboxItem(
            id: ID(), kind: .monthDigest, to: to,
            parameters: try JSONDecoder().decode([String: String].self, from: Data(text.utf8)), attempt: 1,
            now: try #require(Instant("2026-11-05T00:00:00Z")))
        let mail = RankingMail(
            database: TestDatabase.current.service, baseURL: "https://anthill.example", optOuts: Person.optOuts)
        return try await mail.letters[item.kind]?(item)?.message
    }

    private func wantsLetters(_ person: Person) async throws {
        _ = try await TestDatabase.current.database.write([
            "INSERT INTO user_emails (canonical, email, uid) VALUES ('h@example.org', 'h@example.org', \(person.uid))",
            "UPDATE users SET digest_mail = true WHERE uid = \(person.uid)",
        ])
    }

    @Test func `strangers see nothing of closed months`() async throws {
        let (room, _) = try await october()
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        let stranger = try await Person("Stranger", everything())
        for path in ["standings", "standings/2026-10", "standings/2026-10/podium.svg", "hall-of-fame"] {
            #expect(await stranger.get("\(room.path)/\(path)").status == .notFound)
        }
        #expect(await stranger.get("/me/standings").json["items"] == [])
    }

    @Test func `a letter goes to those who want it, once`() async throws {
        let (_, friend) = try await october()
        try await wantsLetters(friend)
        try await TestDatabase.current.setClock("2026-11-05T00:00:00Z")
        try await close()
        try await close()
        let mails = try await TestDatabase.current.database.read(
            "SELECT to_address FROM mail_outbox WHERE kind = 'month_digest'")
        #expect(try mails.decode(String.self).map(\.self) == ["h@example.org"])
    }
}

extension Person {
    func standings(_ room: Room, _ month: String) async -> JSON {
        await get("\(room.path)/standings/\(month)").json
    }
}
