import HTTP
import Postgres
import Ranking
import TestSupport
import Testing
import Time

/// Boards of past instants: what they answered at the time is what they must answer ever after.
@Suite(.database) struct PastBoardTests {
    /// What was asked of a board, and what it answered then.
    private struct Memory {
        let reader: Person
        let query: String
        let instant: Instant
        let answer: JSON
    }

    private static let periods = [
        "period=day", "period=week", "period=month", "period=month&at=2026-10", "period=week&at=2026-10-26",
        "period=day&at=2026-10-31",
    ]

    private func pages(_ room: Room, _ reader: Person, _ query: String) async -> [JSON] {
        var pages = [await reader.board(room, query)]
        while let next = pages.last?["next"].string {
            pages.append(await reader.board(room, "\(query)&after=\(next)"))
        }
        return pages
    }

    @Test(arguments: [
        (1, "Asia/Seoul", 57_600, true), (2, "America/New_York", 7200, true), (3, "Europe/London", 7200, false),
        (4, "Australia/Lord_Howe", 3600, true),
    ])
    func `a board of a past instant is the one that was answered then, whatever was done since`(
        seed: UInt64, zone: String, cap: Int, manualCounts: Bool
    ) async throws {
        var random = BruteForceTests.Random(state: seed)
        let room = try await Room(
            at: "2026-10-30T00:00:00Z",
            rules: [
                "time_zone": .string(zone), "daily_cap_seconds": .integer(cap), "manual_counts": .bool(manualCounts),
            ])
        var people = [room.owner]
        for number in 1...4 { people.append(try await room.join("Ant \(number)", timeZone: zone)) }
        let start = try #require(Instant("2026-10-30T00:00:00Z"))
        var now = start
        var memories: [Memory] = []
        for step in 1...90 {
            // Now and then a whole night, or the 12 h after which a timer is forgotten.
            now = now + (step % 15 == 0 ? 46_800 : 600 * Int.random(in: 1...30, using: &random))
            try await TestDatabase.current.setClock("\(now)")
            let person = people[Int.random(in: 0..<people.count, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0...2: _ = await person.post("/me/timer/start")
            case 3: _ = await person.post("/me/timer/\(Bool.random(using: &random) ? "pause" : "resume")")
            case 4: _ = await person.post("/me/timer/stop")
            case 5, 6: await person.log("\(now + -60 * Int.random(in: 1...90, using: &random))", "\(now)")
            case 7:
                // Some session of theirs is taken back, or ends earlier; a forgotten timer is answered.
                let sessions = await person.get("/me/sessions?from=2026-10-29&to=2026-11-12").json["items"].array ?? []
                guard let session = sessions.randomElement(using: &random), let id = session["id"].string,
                    let began = session["started_at"].string.flatMap({ Instant(rfc3339: $0) })
                else { break }
                if Bool.random(using: &random) {
                    _ = await person.delete("/me/sessions/\(id)")
                } else {
                    let end = JSON.string("\(began + 300)")
                    _ = await person.patch("/me/sessions/\(id)", ["ended_at": end])
                    _ = await person.put("/me/sessions/\(id)/end", ["ended_at": end])
                }
            case 8 where person.id != room.owner.id:
                _ = await person.delete("\(room.path)/members/\(person.id)")
            default:
                try await TestDatabase.current.setClock("\(now)")
                await room.admit(person)
            }
            let query = Self.periods[step % Self.periods.count]
            memories.append(
                Memory(reader: room.owner, query: query, instant: now, answer: await room.owner.board(room, query)))
        }
        try await TestDatabase.current.setClock("\(now + 864_000)")
        var compared = 0
        for memory in memories where memory.answer["entries"].array != nil {
            let again = await memory.reader.board(room, "\(memory.query)&as_of=\(memory.instant)")
            #expect(again == memory.answer, "\(memory.query) as of \(memory.instant)")
            let entries = await pages(room, memory.reader, "\(memory.query)&as_of=\(memory.instant)&limit=2")
                .flatMap { $0["entries"].array ?? [] }
            #expect(entries == memory.answer["entries"].array)
            compared += entries.count
        }
        #expect(compared > 100)
    }
}

extension PastBoardTests {
    @Test func `today's membership and visibility decide who sees a past board, and whom it shows`() async throws {
        let room = try await Room()
        let haneul = try await room.join("Haneul")
        let minseo = try await room.join("Minseo")
        await haneul.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        let then = "as_of=2026-11-21T03:00:00Z"
        try await TestDatabase.current.advance(60)
        let late = try await room.join("Late")
        #expect(await late.board(room, then).nicknames.sorted() == ["Dodam", "Haneul", "Minseo"])
        #expect(await late.board(room, then)["me"].isNull)
        _ = await haneul.patch("\(room.path)/members/me", ["visibility": "hidden"])
        #expect(await late.board(room, then).nicknames.sorted() == ["Dodam", "Minseo"])
        #expect(await late.board(room, then).ranks == [1, 2, 2])
        #expect(await haneul.board(room, then)["me"]["rank"] == 1)
        _ = await minseo.delete("\(room.path)/members/\(minseo.id)")
        #expect(await late.board(room, then).nicknames.sorted() == ["Dodam", "Minseo"])
        #expect(await minseo.get("\(room.path)/leaderboard?\(then)").status == .notFound)
    }

    @Test func `a closed month is shown with the amendments made until then`() async throws {
        let room = try await Room(at: "2026-10-20T03:00:00Z")
        let haneul = try await room.join("Haneul")
        await haneul.log("2026-10-20T01:00:00Z", "2026-10-20T02:00:00Z")
        try await TestDatabase.current.setClock("2026-11-03T00:00:00Z")
        let group = try #require(ID(room.id))
        _ = try await TestDatabase.current.database.write(
            "SELECT close_month(\(group), \(Day(iso: "2026-10-01")))")
        try await TestDatabase.current.advance(60)
        let amended = await room.owner.post(
            "\(room.path)/standings/2026-10/amendments",
            ["uid": .string(haneul.id), "seconds": 1800, "reason": "Counted twice"])
        #expect(amended.status == .created)
        try await TestDatabase.current.advance(60)
        func seconds(_ instant: String) async -> [Int] {
            await room.owner.board(room, "at=2026-10&as_of=\(instant)").seconds
        }
        #expect(await room.owner.board(room, "at=2026-10").seconds == [1800, 0])
        #expect(await seconds("2026-11-03T00:01:00Z") == [1800, 0])
        #expect(await seconds("2026-11-03T00:00:59Z") == [3600, 0])
        #expect(await seconds("2026-10-31T00:00:00Z") == [3600, 0])
    }

    @Test(arguments: [
        ("as_of=2026-11-21T03:00:01Z", "future_instant"),
        ("as_of=2026-11-20T19:59:59Z&period=day&at=2026-11-21", "instant_before_period"),
        ("as_of=2026-10-31T19:59:59Z&at=2026-11", "instant_before_period"), ("as_of=yesterday", "invalid_time"),
        ("as_of=2026-11-21", "invalid_time"), ("as_of=", "invalid_time"),
        ("as_of=1969-12-31T23:59:59Z", "invalid_time"),
        ("as_of=2026-02-30T00:00:00Z", "invalid_time"), ("as_of=2026-11-21T02:00:00.5Z", "invalid_time"),
    ])
    func `an instant that no board had is refused`(query: String, code: String) async throws {
        let room = try await Room()
        let answer = await room.owner.get("\(room.path)/leaderboard?\(query)")
        #expect(answer.status == .unprocessable)
        #expect(answer.code == code)
        #expect(answer.json["field"] == "as_of")
    }

    @Test func `the instant of now and one before the group are boards, too`() async throws {
        let room = try await Room()
        #expect(await room.owner.board(room, "as_of=2026-11-21T03:00:00Z") == room.owner.board(room))
        let before = await room.owner.board(room, "as_of=1970-01-01T00:00:00Z")
        #expect(before["participants"] == 0)
        #expect(before["state"] == "open")
    }
    @Test func `one past board of a large group is computed at a time, and no other read waits for it`()
        async throws
    {
        let room = try await Room(on: Instance(largePast: 0))
        let then = "\(room.path)/leaderboard?as_of=2026-11-21T03:00:00Z"
        #expect(await room.owner.get(then).status == .ok)
        let database = TestDatabase.current.database
        // What it reads is locked, so that it lasts.
        let first = try await TestDatabase.current.withAnother { other in
            try await other.transaction {
                try await other.write("LOCK TABLE group_membership_history IN ACCESS EXCLUSIVE MODE")
                let first = Task { await room.owner.get(then).status }
                var waiting = 0
                while waiting == 0 {
                    waiting = try await database.read(
                        """
                        SELECT count(*)::integer FROM pg_locks
                        WHERE NOT granted AND relation = 'group_membership_history'::regclass
                        """)[0].decode(Int.self)
                }
                let second = await room.owner.get(then)
                #expect(second.status == .tooManyRequests)
                #expect(second.code == "too_many_past_boards")
                #expect(second.headers["Retry-After"] == "5")
                return first
            }
        }
        #expect(await first.value == .ok)
        #expect(await room.owner.get(then).status == .ok)
    }
}
