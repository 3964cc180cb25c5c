import API
import Foundation
import Groups
import HTTP
import Postgres
import Synchronization
import TestSupport
import Testing
import Time

@testable import Ranking

@Suite(.database) struct BoardCacheTests {
    private let cache = BoardCache(above: 0, for: .seconds(3600))

    private func store(_ cache: BoardCache) -> BoardStore {
        BoardStore(database: TestDatabase.current.database, cache: cache)
    }

    private func key(
        _ room: Room, _ length: Period.Length = .month, _ order: Leaderboard.Order = .seconds
    ) -> BoardCache.Key {
        BoardCache.Key(group: ID(room.id)!, order: order, length: length, firstDay: nil)
    }

    // MARK: What is cut out of a whole board

    /// One member of a board as the schema answers it, with nothing hidden.
    private struct Seat {
        let uid: ID
        let isHidden: Bool
        let score: Int
    }

    /// Everybody on the board, in an order of the test's own making.
    private func seats(_ key: BoardCache.Key) async throws -> [Seat] {
        let rows = try await TestDatabase.current.database.read(
            """
            SELECT uid, visibility, score FROM board(\(key.group), \(key.length.rawValue), sorting => \(key.order.rawValue))
            WHERE uid IS NOT NULL
            """)
        let seats = try rows.map { row in
            let (uid, visibility, score) = try row.decode(ID.self, String.self, Int.self)
            return Seat(uid: uid, isHidden: visibility == "hidden", score: score)
        }
        return seats.sorted {
            ($1.score, $0.isHidden ? 1 : 0, $1.uid.description) < ($0.score, $1.isHidden ? 1 : 0, $0.uid.description)
        }
    }

    /// What an entry says of who it is.
    private struct Seen: Equatable {
        let rank: Int
        let uid: ID?
    }

    private func seen(_ entries: [Leaderboard.Entry]) -> [Seen] {
        entries.map { Seen(rank: $0.rank, uid: $0.member?.uid) }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `each reader sees everybody in their place, and of who hides nothing else`(seed: UInt64) async throws {
        var random = BruteForceTests.Random(state: seed)
        let room = try await Room(at: seed % 3 == 0 ? "2026-12-01T03:00:00Z" : "2026-11-21T03:00:00Z", cache: cache)
        var people = [room.owner]
        for number in 1...Int.random(in: 1...13, using: &random) { people.append(try await room.join("Ant \(number)")) }
        for person in people {
            // Few different totals, so that many tie; some of them hide, some study now, one is kept off the boards.
            for day in ["20", "21"] where Bool.random(using: &random) {
                let (month, minute) = (seed % 3 == 0 ? "11-30" : "11-\(day)", Int.random(in: 1...3, using: &random))
                await person.log("2026-\(month)T0\(day.last!):00:00Z", "2026-\(month)T0\(day.last!):\(minute)0:00Z")
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                _ = await person.patch("\(room.path)/members/me", ["visibility": "hidden"])
            }
            if Int.random(in: 0..<5, using: &random) == 0 { _ = await person.post("/me/timer/start") }
        }
        if let last = people.last, seed.isMultiple(of: 2) {
            _ = try await TestDatabase.current.database.write(
                """
                INSERT INTO suspensions (group_id, uid, reason, until, suspended_by)
                VALUES (\(ID(room.id)), \(last.uid), '-', anthill_clock() + interval '1 day', \(room.owner.uid))
                """)
        }
        try await TestDatabase.current.advance(60)
        var compared = 0
        for (length, order) in Period.Length.allCases.flatMap({ length in
            Leaderboard.Order.allCases.map { (length, $0) }
        }) {
            let key = key(room, length, order)
            let whole = try await store(cache).whole(key)
            let seats = try await seats(key)
            #expect(whole.count == seats.count)
            for reader in people {
                let expected = seats.enumerated().map { index, seat in
                    if seat.isHidden && seat.uid != reader.uid { return Seen(rank: index + 1, uid: nil) }
                    return Seen(rank: 1 + seats.count { $0.score > seat.score }, uid: seat.uid)
                }
                #expect(seen(whole.entries(for: reader.uid)) == expected)

                // Pages that follow one another, by the text of their cursors.
                for limit in [1, 2, 5, 50] {
                    var (entries, place): ([Leaderboard.Entry], WholeBoard.Place?) = ([], nil)
                    repeat {
                        let page = whole.page(for: reader.uid, from: place, limit: limit)
                        entries += page.entries
                        place = try page.next.map { next in
                            if let anchor = next.below {
                                #expect(
                                    seats.contains { !$0.isHidden && $0.uid == anchor.uid && $0.score == anchor.score })
                            }
                            let cursor = BoardCursor(
                                firstDay: whole.frame.firstDay, asOf: whole.asOf, isPast: false, order: order,
                                place: next)
                            let request = Request(
                                .get, try #require(Target("/?after=\(cursor.text)")), headers: Headers(), body: [],
                                client: .loopback, peerIsLoopback: true)
                            return try #require(try BoardCursor(request.paging(), order)).place
                        }
                    } while place != nil
                    #expect(seen(entries) == expected)
                    compared += entries.count
                }

                let own = seats.firstIndex { $0.uid == reader.uid }
                let mine = whole.mine(reader.uid)
                #expect((mine == nil) == (own == nil))
                guard let own, let mine else { continue }
                let around = (own - 3...own + 3).filter { $0 != own && seats.indices.contains($0) }
                #expect(seen(mine.neighbours) == around.map { expected[$0] })
                #expect(mine.above == around.count { $0 < own })
                #expect(Seen(rank: mine.entry.rank, uid: mine.entry.uid) == expected[own])
                let better = seats.filter { !$0.isHidden && $0.score > seats[own].score }.map(\.score).min()
                #expect(mine.gapToNext == better.map { $0 - seats[own].score })
            }
        }
        #expect(compared > 50)
    }

    @Test func `a kept board is answered in the same text as any other`() async throws {
        let room = try await Room(cache: cache)
        var people = [room.owner]
        for number in 1...6 { people.append(try await room.join("Ant \"\(number)\"")) }
        await people[2].log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        _ = await people[2].patch("\(room.path)/members/me", ["visibility": "hidden"])
        _ = await people[3].post("/me/timer/start")
        let direct = everything()
        for query in ["", "?limit=1", "?limit=3&period=day", "?limit=3&order=goal", "?limit=5", "?limit=6"] {
            for person in people + people.reversed() {
                let path = "/api/v1\(room.path)/leaderboard\(query)"
                let kept = await person.get("\(room.path)/leaderboard\(query)")
                #expect(kept.body == (await direct.get(path, bearer: person.token)).body)
            }
        }
    }

    @Test func `who deleted their account stays on a closed month without a name`() async throws {
        let room = try await Room(at: "2026-10-20T03:00:00Z", cache: cache)
        let gone = try await room.join("Haneul")
        await gone.log("2026-10-20T01:00:00Z", "2026-10-20T02:00:00Z")
        try await TestDatabase.current.setClock("2026-11-03T00:00:00Z")
        let (database, group) = (TestDatabase.current.database, ID(room.id)!)
        _ = try await database.write("SELECT close_month(\(group), \(Day(iso: "2026-10-01")))")
        _ = try await database.write(
            "UPDATE standings SET uid = NULL, salt = NULL, nickname = NULL WHERE uid = \(gone.uid)")
        _ = try await database.write("SELECT remove_member(\(gone.uid), \(group), \(gone.uid))")
        _ = try await database.write("DELETE FROM users WHERE uid = \(gone.uid)")
        let key = BoardCache.Key(group: group, order: .seconds, length: .month, firstDay: Day(iso: "2026-10-01"))
        let whole = try await store(cache).whole(key)
        #expect(whole.count == 2)
        let entries = whole.entries(for: room.owner.uid).compactMap(\.member)
        #expect(entries.map(\.uid) == [nil, room.owner.uid])
        #expect(entries.map(\.nickname) == [nil, "Dodam"])
        #expect(entries.map(\.seconds) == [3600, 0])
        #expect(whole.mine(room.owner.uid)?.entry.rank == 2)
        #expect(whole.mine(room.owner.uid)?.gapToNext == 3600)
    }

    // MARK: Keeping

    @Test func `a large group's board is computed once for everybody, and anew after its time`() async throws {
        let time = Mutex(ContinuousClock.now)
        let cache = BoardCache(above: 1) { time.withLock { $0 } }
        let room = try await Room(cache: cache)
        let friend = try await room.join("Haneul")
        #expect(await room.owner.board(room).seconds == [0, 0])
        #expect(await room.owner.board(room).seconds == [0, 0])
        // Another instance records.
        _ = try await TestDatabase.current.database.write(
            "SELECT record_interval(\(friend.uid), '2026-11-21T01:00:00Z', '2026-11-21T02:00:00Z')")
        #expect(await friend.board(room).seconds == [0, 0])
        time.withLock { $0 += .milliseconds(999) }
        #expect(await room.owner.board(room).seconds == [0, 0])
        #expect(await room.owner.board(room, "period=day").seconds == [3600, 0])
        time.withLock { $0 += .milliseconds(1) }
        #expect(await room.owner.board(room).seconds == [3600, 0])
    }

    @Test func `a small group's board is computed once a second, for all who ask in it`() async throws {
        let cache = BoardCache(for: .seconds(3600))
        let room = try await Room(cache: cache)
        let friend = try await room.join("Haneul")
        _ = await friend.post("/me/timer/start")
        // The first who asks is not known to be one of many.
        for (second, loads) in [(0, 1), (1, 2), (2, 3)] {
            for _ in 0..<4 {
                for person in [friend, room.owner] {
                    #expect(await person.board(room).seconds == [second, 0])
                }
            }
            #expect(cache.moment == loads)
            try await TestDatabase.current.advance(1)
        }
    }

    /// Whatever changes a board without this instance: another one, or an admin.
    @Test(arguments: [
        "SELECT record_interval('FRIEND', '2026-11-21T01:00:00Z', '2026-11-21T02:00:00Z')",
        "SELECT start_timer('FRIEND')",
        "UPDATE users SET nickname = 'Sol' WHERE uid = 'FRIEND'",
        "SELECT set_daily_goal('FRIEND', 60)",
        "UPDATE groups SET name = 'Dawn Room' WHERE group_id = 'GROUP'",
        "UPDATE group_members SET visibility = 'hidden' WHERE uid = 'FRIEND'",
        "SELECT remove_member('OWNER', 'GROUP', 'FRIEND')",
        "SELECT suspend_member('OWNER', 'GROUP', 'FRIEND', '-', anthill_clock() + interval '1 day')",
    ])
    func `what others change is on a small group's kept board at once`(statement: String) async throws {
        let cache = BoardCache(for: .seconds(3600))
        let room = try await Room(cache: cache)
        let friend = try await room.join("Haneul")
        await friend.log("2026-11-20T22:00:00Z", "2026-11-20T22:10:00Z")
        let path = "\(room.path)/leaderboard?order=goal"
        var before = await room.owner.get(path)
        for _ in 0..<4 { before = await room.owner.get(path) }
        let loads = cache.moment
        #expect(await room.owner.get(path).body == before.body)
        #expect(cache.moment == loads && loads > 0)
        try await TestDatabase.current.sql(
            statement.replacing("FRIEND", with: friend.id).replacing("OWNER", with: room.owner.id)
                .replacing("GROUP", with: room.id))
        let after = await room.owner.get(path)
        #expect(after.body != before.body)
        #expect(after.body == (await everything().get("/api/v1" + path, bearer: room.owner.token)).body)
    }

    @Test func `a kept board is answered by 304 to who has it, and to nobody else`() async throws {
        let room = try await Room(cache: BoardCache(for: .seconds(3600)))
        let friend = try await room.join("Haneul")
        let path = "\(room.path)/leaderboard"
        let people = [room.owner, friend]
        var tags = ["", ""]
        for _ in 0..<3 {
            for (place, person) in people.enumerated() { tags[place] = await person.get(path).headers["ETag"] ?? "-" }
        }
        #expect(Set(tags).count == 2)
        for (place, person) in people.enumerated() {
            for (other, tag) in tags.enumerated() {
                let answer = await person.get(path, headers: ["If-None-Match": tag])
                #expect(answer.status == (other == place ? .notModified : .ok))
                #expect(answer.headers["ETag"] == tags[place])
            }
        }
        await friend.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        for (place, person) in people.enumerated() {
            #expect(await person.get(path, headers: ["If-None-Match": tags[place]]).status == .ok)
        }
    }

    @Test func `one reads what anybody in the group just did`() async throws {
        let room = try await Room(cache: cache)
        let friend = try await room.join("Haneul")
        func board() async -> JSON { await room.owner.board(room) }
        #expect(await board().seconds == [0, 0])
        let id = await friend.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z").json["id"].string ?? "-"
        #expect(await board().seconds == [3600, 0])
        #expect(await friend.board(room)["me"]["seconds"] == 3600)
        _ = await friend.delete("/me/sessions/\(id)")
        #expect(await board().seconds == [0, 0])
        _ = await friend.post("/me/timer/start")
        #expect(await board().entry(friend)["studying"] == true)
        _ = await friend.patch("\(room.path)/members/me", ["visibility": "hidden"])
        #expect(await board().nicknames == ["Dodam"])
        #expect(await friend.board(room)["me"]["studying"] == true)
        _ = await room.owner.patch(room.path, ["name": "Dawn Room"])
        #expect(await friend.board(room)["group"]["name"] == "Dawn Room")
        let third = try await room.join("Sol")
        #expect(await board()["participants"] == 3)
        #expect(await third.board(room)["me"]["rank"] == 1)
        _ = await room.owner.delete("\(room.path)/members/\(third.id)")
        #expect(await board()["participants"] == 2)
    }

    @Test func `who is removed elsewhere sees nothing from that moment on`() async throws {
        let room = try await Room(cache: cache)
        let friend = try await room.join("Haneul")
        #expect(await friend.board(room)["participants"] == 2)
        #expect(await friend.board(room)["participants"] == 2)
        _ = try await TestDatabase.current.database.write(
            "SELECT remove_member(\(room.owner.uid), \(ID(room.id)), \(friend.uid))")
        #expect(await friend.get("\(room.path)/leaderboard").status == .notFound)
        #expect(await room.owner.board(room)["participants"] == 2)
    }

    @Test func `the next page is of the first one's instant, kept or not`() async throws {
        let room = try await Room(cache: cache)
        for number in 1...4 { _ = try await room.join("Ant \(number)") }
        let whole = await room.owner.board(room)
        for isKept in [true, false] {
            let first = await room.owner.board(room, "limit=2")
            try await TestDatabase.current.advance(30)
            if !isKept { cache.drop([room.owner.uid]) }
            let rest = await room.owner.board(room, "after=\(first["next"].string ?? "-")")
            #expect(first["as_of"] == rest["as_of"])
            #expect((first["entries"].array ?? []) + (rest["entries"].array ?? []) == whole["entries"].array)
            #expect(rest["me"].isNull && rest["next"].isNull)
        }
    }

    @Test func `a stream sends no board from before the change that woke it`() async throws {
        let room = try await Room(cache: cache)
        let friend = try await room.join("Haneul")
        _ = await friend.board(room)
        let live = LiveBoards.quick(cache: cache)
        let viewers = [try await Viewer(friend, room, live), try await Viewer(room.owner, room, live)]
        for viewer in viewers { #expect(try await viewer.board()?.board.seconds == [0, 0]) }
        // Another instance records: nobody tells the cache.
        for hour in 0...2 {
            _ = try await TestDatabase.current.database.write(
                """
                SELECT record_interval(\(friend.uid), timestamptz '2026-11-20T20:00:00Z' + \(hour) * interval '1 hour',
                  timestamptz '2026-11-20T20:30:00Z' + \(hour) * interval '1 hour')
                """)
            for viewer in viewers { #expect(try await viewer.board()?.board.seconds == [1800 * (hour + 1), 0]) }
        }
        live.stop()
    }

    // MARK: Loading

    /// Loads that wait until they are let go, and say how many there were.
    private actor Gate {
        private(set) var loads = 0
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func pass() async {
            loads += 1
            await withCheckedContinuation { waiting.append($0) }
        }

        func open() {
            for continuation in waiting { continuation.resume() }
            waiting = []
        }

        /// Until so many have begun.
        func begun(_ count: Int) async throws { while loads < count { try await Task.sleep(for: .milliseconds(1)) } }
    }

    @Test func `many at once wait for one load`() async throws {
        let room = try await Room()
        let (gate, key, store) = (Gate(), key(room), store(cache))
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<50 {
                tasks.addTask {
                    try await self.cache.board(key) {
                        await gate.pass()
                        return try await store.whole(key)
                    }.count
                }
            }
            try await gate.begun(1)
            await gate.open()
            for try await count in tasks { #expect(count == 1) }
        }
        #expect(await gate.loads == 1)
        #expect(cache.kept(key) != nil)
    }

    @Test func `a board in demand is computed anew before it is too old`() async throws {
        let time = Mutex(ContinuousClock.now)
        let cache = BoardCache(above: 0) { time.withLock { $0 } }
        let room = try await Room()
        let (key, store) = (key(room), store(cache))
        let loads = Mutex(0)
        @Sendable func ask() async throws {
            _ = try await cache.board(key) {
                loads.withLock { $0 += 1 }
                return try await store.whole(key)
            }
        }
        try await ask()
        time.withLock { $0 += .milliseconds(749) }
        try await ask()
        #expect(cache.moment == 1)
        time.withLock { $0 += .milliseconds(1) }
        try await ask()
        #expect(cache.moment == 2)
        // Once it has come, there is one when the first would be too old.
        time.withLock { $0 += .milliseconds(250) }
        for _ in 0..<5000 where cache.kept(key) == nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(cache.kept(key) != nil)
        #expect(loads.withLock { $0 } == 2)
    }

    @Test func `a load that a member's change overtook is for those who came before, and not kept`() async throws {
        let room = try await Room()
        let (gate, key, store) = (Gate(), key(room), store(cache))
        @Sendable func ask() -> Task<WholeBoard, any Error> {
            Task {
                try await self.cache.board(key) {
                    let board = try await store.whole(key)
                    await gate.pass()
                    return board
                }
            }
        }
        func seconds(_ board: WholeBoard) -> Int? {
            board.mine(room.owner.uid)?.entry.seconds
        }
        let before = ask()
        try await gate.begun(1)
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        cache.drop([room.owner.uid])
        let after = ask()
        await gate.open()
        #expect(seconds(try await before.value) == 0)
        #expect(cache.kept(key) == nil)
        try await gate.begun(2)
        // What a stranger changes is no reason to load again.
        cache.drop([ID()])
        await gate.open()
        #expect(seconds(try await after.value) == 3600)
        #expect(cache.kept(key).flatMap(seconds) == 3600)
        #expect(await gate.loads == 2)
    }

    @Test func `what cannot be loaded is an error for everybody and not kept`() async throws {
        let key = BoardCache.Key(group: ID(), order: .seconds, length: .month, firstDay: nil)
        for _ in 0..<2 {
            await #expect(throws: Refusal.ranking.groupNotFound) {
                try await cache.board(key) { try await store(cache).whole(key) }
            }
        }
    }

    @Test func `never more seats are kept than there is room for`() async throws {
        let cache = BoardCache(above: 0, for: .seconds(3600), mostSeats: 5)
        var rooms: [Room] = []
        for _ in 0..<4 {
            rooms.append(try await Room())
            _ = try await rooms[rooms.count - 1].join("Haneul")
            let key = key(rooms[rooms.count - 1])
            _ = try await cache.board(key) { try await store(cache).whole(key) }
        }
        #expect(rooms.map { cache.kept(key($0)) != nil } == [false, false, true, true])
    }
}
