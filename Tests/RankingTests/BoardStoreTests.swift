import API
import Accounts
import Foundation
import Groups
import HTTP
import Postgres
import TestSupport
import Testing
import Time

@testable import Ranking

@Suite(.database) struct BoardStoreTests {
    private let database = TestDatabase.current.database
    private let feed = ChangeFeed(database: TestDatabase.current.database)

    private func request(
        _ room: Room, _ length: Period.Length = .month, _ order: Leaderboard.Order = .seconds, at: String? = nil
    ) throws -> BoardRequest {
        BoardRequest(
            group: ID(room.id)!, period: try Period(length: length.rawValue, at: at), order: order,
            reader: room.owner.uid, limit: 50, cursor: nil)
    }

    /// The whole board as the database has it.
    private func whole(_ request: BoardRequest) async throws -> WholeBoard {
        try await BoardStore(database: database, changes: feed).whole(request, at: feed.position())
    }

    // MARK: What is cut out of a whole board

    /// One member of a board as the schema answers it, with nothing hidden.
    private struct Seat {
        let uid: ID
        let isHidden: Bool
        let score: Int
    }

    /// Everybody on the board, in an order of the test's own making.
    private func seats(_ key: BoardRequest.Key) async throws -> [Seat] {
        let rows = try await database.read(
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

    private func seen(_ text: [UInt8]) -> Seen {
        let entry = JSON(text: text) ?? .null
        return Seen(rank: entry["rank"].int ?? 0, uid: entry["uid"].string.flatMap(ID.init))
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `each reader sees everybody in their place, and of who hides nothing else`(seed: UInt64) async throws {
        var random = BruteForceTests.Random(state: seed)
        let room = try await Room(at: seed % 3 == 0 ? "2026-12-01T03:00:00Z" : "2026-11-21T03:00:00Z")
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
            let request = try request(room, length, order)
            let whole = try await whole(request)
            let seats = try await seats(request.key)
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
                                group: whole.group.id, length: .month, firstDay: whole.frame.firstDay,
                                asOf: whole.asOf, isPast: false, order: order, place: next)
                            let request = Request(
                                .get, try #require(Target("/?after=\(cursor.text)")), headers: Headers(), body: [],
                                client: .loopback, peerIsLoopback: true)
                            return try #require(try BoardCursor(request.paging(), of: whole.group.id, by: order)).place
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
                #expect(mine.neighbours.map(seen) == around.map { expected[$0] })
                #expect(mine.above == around.count { $0 < own })
                #expect(Seen(rank: mine.entry.rank, uid: mine.entry.uid) == expected[own])
                let better = seats.filter { !$0.isHidden && $0.score > seats[own].score }.map(\.score).min()
                #expect(mine.gapToNext == better.map { $0 - seats[own].score })
            }
        }
        #expect(compared > 50)
    }

    @Test func `a kept board is answered in the same text as any other`() async throws {
        let room = try await Room()
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
        let room = try await Room(at: "2026-10-20T03:00:00Z")
        let gone = try await room.join("Haneul")
        await gone.log("2026-10-20T01:00:00Z", "2026-10-20T02:00:00Z")
        try await TestDatabase.current.setClock("2026-11-03T00:00:00Z")
        let group = ID(room.id)!
        _ = try await database.write("SELECT close_month(\(group), \(Day(iso: "2026-10-01")))")
        _ = try await database.write(
            "UPDATE standings SET uid = NULL, salt = NULL, nickname = NULL WHERE uid = \(gone.uid)")
        _ = try await database.write("SELECT remove_member(\(gone.uid), \(group), \(gone.uid))")
        _ = try await database.write("DELETE FROM users WHERE uid = \(gone.uid)")
        let whole = try await whole(request(room, at: "2026-10"))
        #expect(whole.count == 2)
        let entries = whole.entries(for: room.owner.uid).compactMap(\.member)
        #expect(entries.map(\.uid) == [nil, room.owner.uid])
        #expect(entries.map(\.nickname) == [nil, "Dodam"])
        #expect(entries.map(\.seconds) == [3600, 0])
        #expect(whole.mine(room.owner.uid)?.entry.rank == 2)
        #expect(whole.mine(room.owner.uid)?.gapToNext == 3600)
    }

    // MARK: Keeping

    @Test func `a board is computed once a second, for all who ask in it`() async throws {
        let instance = Instance()
        let room = try await Room(on: instance)
        let friend = try await room.join("Haneul")
        _ = await friend.post("/me/timer/start")
        for (second, loads) in [(0, 1), (1, 2), (2, 3)] {
            for _ in 0..<4 {
                for person in [friend, room.owner] {
                    #expect(await person.board(room).seconds == [second, 0])
                }
            }
            #expect(instance.ranking.boards.loadCount == loads)
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
    func `what others change is on a kept board at once`(statement: String) async throws {
        let instance = Instance()
        let room = try await Room(on: instance)
        let friend = try await room.join("Haneul")
        await friend.log("2026-11-20T22:00:00Z", "2026-11-20T22:10:00Z")
        let path = "\(room.path)/leaderboard?order=goal"
        let before = await room.owner.get(path)
        #expect(await room.owner.get(path).body == before.body)
        #expect(instance.ranking.boards.loadCount == 1)
        try await TestDatabase.current.sql(
            statement.replacing("FRIEND", with: friend.id).replacing("OWNER", with: room.owner.id)
                .replacing("GROUP", with: room.id))
        let after = await room.owner.get(path)
        #expect(after.body != before.body)
        #expect(after.body == (await everything().get("/api/v1" + path, bearer: room.owner.token)).body)
    }

    @Test func `what anybody did on one instance is on the board of every other at once`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        let other = Instance()
        func boards() async -> [[Int]] {
            var seen: [[Int]] = []
            for person in [room.owner, friend] {
                let path = "/api/v1\(room.path)/leaderboard"
                seen.append(await other.client.get(path, bearer: person.token).json.seconds)
            }
            return seen
        }
        #expect(await boards() == [[0, 0], [0, 0]])
        for hour in 1...3 {
            await friend.log("2026-11-20T0\(hour):00:00Z", "2026-11-20T0\(hour):30:00Z")
            #expect(await boards() == [[1800 * hour, 0], [1800 * hour, 0]])
        }
        #expect(other.ranking.boards.loadCount == 4)
    }

    @Test func `a kept board is answered by 304 to the reader who has it, and to nobody else`() async throws {
        let room = try await Room()
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
        let room = try await Room()
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
        let room = try await Room()
        let friend = try await room.join("Haneul")
        #expect(await friend.board(room)["participants"] == 2)
        #expect(await friend.board(room)["participants"] == 2)
        _ = try await database.write(
            "SELECT remove_member(\(room.owner.uid), \(ID(room.id)), \(friend.uid))")
        #expect(await friend.get("\(room.path)/leaderboard").status == .notFound)
        #expect(await room.owner.board(room)["participants"] == 1)
    }

    @Test func `the next page is of the first one's instant, kept or not`() async throws {
        let room = try await Room()
        for number in 1...4 { _ = try await room.join("Ant \(number)") }
        let whole = await room.owner.board(room)
        for isKept in [true, false] {
            let first = await room.owner.board(room, "limit=2")
            try await TestDatabase.current.advance(30)
            if !isKept { _ = try await database.write("SELECT note_change(\(room.owner.uid))") }
            let rest = await room.owner.board(room, "after=\(first["next"].string ?? "-")")
            #expect(first["as_of"] == rest["as_of"])
            #expect((first["entries"].array ?? []) + (rest["entries"].array ?? []) == whole["entries"].array)
            #expect(rest["me"].isNull && rest["next"].isNull)
        }
    }

    @Test func `a stream sends no board from before the change that woke it`() async throws {
        let live = Instance.quick()
        let room = try await Room(on: live)
        let friend = try await room.join("Haneul")
        _ = await friend.board(room)
        let viewers = [try await Viewer(friend, room, live), try await Viewer(room.owner, room, live)]
        for viewer in viewers { #expect(try await viewer.board()?.board.seconds == [0, 0]) }
        // Another instance records.
        for hour in 0...2 {
            _ = try await database.write(
                """
                SELECT record_interval(\(friend.uid), timestamptz '2026-11-20T20:00:00Z' + \(hour) * interval '1 hour',
                  timestamptz '2026-11-20T20:30:00Z' + \(hour) * interval '1 hour')
                """)
            for viewer in viewers { #expect(try await viewer.board()?.board.seconds == [1800 * (hour + 1), 0]) }
        }
        live.stop()
    }

    @Test func `never more places are kept than there is room for`() async throws {
        // A board takes one place more than it has people on it.
        let store = BoardStore(database: database, changes: feed, mostPlaces: 7)
        var requests: [BoardRequest] = []
        for _ in 0..<4 {
            let room = try await Room()
            _ = try await room.join("Haneul")
            requests.append(try request(room))
            _ = try await store.whole(requests.last!, at: feed.position())
        }
        #expect(store.loadCount == 4)
        for (request, loads) in zip(requests.reversed(), [4, 4, 5, 6]) {
            _ = try await store.whole(request, at: feed.position())
            #expect(store.loadCount == loads)
        }
    }
}
