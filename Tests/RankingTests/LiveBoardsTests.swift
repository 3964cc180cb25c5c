import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Ranking

@Suite(.database) struct LiveBoardsTests {
    private let pings = ["ping", "ping", "ping"]

    @Test func `a watcher has the board at once and again when somebody's time changes`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        let live = Instance.quick()
        let viewer = try await Viewer(friend, room, live)
        let first = try #require(try await viewer.next())
        #expect(first.name == "leaderboard" && first.id != nil)
        #expect(first.board == (await friend.board(room)))
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        let second = try #require(try await viewer.board())
        #expect(second.board.seconds == [3600, 0])
        #expect(second.board["me"]["gap_to_next_seconds"] == 3600)
        _ = await room.owner.post("/me/timer/start")
        #expect(try await viewer.board()?.board.entry(room.owner)["studying"] == true)
        live.stop()
    }

    @Test func `nothing but pings comes while nothing changes, also while a timer runs`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        let other = try await Room()
        _ = await friend.post("/me/timer/start")
        let live = Instance.quick()
        let viewer = try await Viewer(friend, room, live)
        #expect(try await viewer.names(4) == ["leaderboard"] + pings)
        try await TestDatabase.current.advance(59)
        await other.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        #expect(try await viewer.names(3) == pings)
        live.stop()
    }

    @Test func `names, members, visibility and rules are changes too`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        let live = Instance.quick()
        let viewer = try await Viewer(room.owner, room, live)
        #expect(try await viewer.board()?.board.nicknames.count == 2)
        _ = try await TestDatabase.current.database.write(
            "UPDATE users SET nickname = 'Bom' WHERE uid = \(friend.uid)")
        #expect(try await viewer.board()?.board.entry(friend)["nickname"] == "Bom")
        _ = await room.owner.patch(room.path, ["name": "Dawn Room"])
        #expect(try await viewer.board()?.board["group"]["name"] == "Dawn Room")
        _ = try await TestDatabase.current.database.write(
            "UPDATE group_members SET visibility = 'hidden' WHERE uid = \(friend.uid)")
        #expect(try await viewer.board()?.board.nicknames == ["Dodam"])
        _ = try await room.join("Sol")
        #expect(try await viewer.board()?.board["participants"] == 3)
        live.stop()
    }

    @Test func `for many who watch it a board is computed once, and each sees it with their own eyes`() async throws {
        let room = try await Room()
        var people = [room.owner]
        for name in ["Haneul", "Sol", "Bom", "Nuri", "Garam"] { people.append(try await room.join(name)) }
        _ = try await TestDatabase.current.database.write(
            "UPDATE group_members SET visibility = 'hidden' WHERE uid = \(people[1].uid)")
        let live = Instance.quick()
        var viewers: [Viewer] = []
        for person in people { viewers.append(try await Viewer(person, room, live)) }
        for viewer in viewers { while try await viewer.next()?.name != "ping" {} }
        let before = live.ranking.boards.loadCount
        await people[2].log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        for (person, viewer) in zip(people, viewers) {
            let seen = try #require(try await viewer.board()).board
            #expect(seen["participants"] == 6 && seen["me"]["rank"] == (person.uid == people[2].uid ? 1 : 2))
            #expect(seen == (await person.board(room)))
        }
        #expect(live.ranking.boards.loadCount == before + 1)
        live.stop()
    }

    @Test func `the moment at which a hidden member does something is told to nobody but them`() async throws {
        let room = try await Room()
        let hidden = try await room.join("Haneul")
        _ = await hidden.patch("\(room.path)/members/me", ["visibility": "hidden"])
        _ = await room.owner.post("/me/timer/start")
        let live = Instance.quick(ping: .seconds(3600))
        let (viewer, own) = (try await Viewer(room.owner, room, live), try await Viewer(hidden, room, live))
        let first = try #require(try await viewer.next())
        _ = try await own.next()
        try await TestDatabase.current.advance(59)
        _ = await hidden.post("/me/timer/start")
        #expect(try await own.board()?.board["me"]["studying"] == true)
        // Back with the id of the last event: nothing comes, either.
        let again = try await Viewer(room.owner, room, live, lastID: first.id)
        _ = await room.owner.patch(room.path, ["name": "Dawn Room"])
        for viewer in [viewer, again] {
            #expect(try await viewer.next()?.board["group"]["name"] == "Dawn Room")
        }
        live.stop()
    }

    @Test func `what hidden members do to the ranks of others comes with a ping`() async throws {
        let room = try await Room()
        let hidden = try await room.join("Haneul")
        _ = await hidden.patch("\(room.path)/members/me", ["visibility": "hidden"])
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T01:30:00Z")
        let live = Instance.quick()
        let viewer = try await Viewer(room.owner, room, live)
        #expect(try await viewer.board()?.board["me"]["rank"] == 1)
        await hidden.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        #expect(try await viewer.board()?.board["me"]["rank"] == 2)
        live.stop()
    }

    @Test func `what was begun early and committed late is told`() async throws {
        let room = try await Room()
        let live = Instance.quick()
        let viewer = try await Viewer(room.owner, room, live)
        _ = try await viewer.next()
        let (database, uid) = (TestDatabase.current.database, room.owner.uid)
        try await database.transaction {
            _ = try await database.write(
                """
                SELECT record_interval(\(uid), '2026-11-21T01:00:00Z', '2026-11-21T02:00:00Z')
                """)
            #expect(try await viewer.names(3) == pings)
        }
        #expect(try await viewer.board()?.board.seconds == [3600])
        live.stop()
    }

    @Test func `a new study day is a change that nobody writes`() async throws {
        let room = try await Room()
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        let live = Instance.quick()
        let viewer = try await Viewer(room.owner, room, live, query: "?period=day")
        #expect(try await viewer.board()?.board.seconds == [3600])
        try await TestDatabase.current.setClock("2026-11-21T20:00:00Z")
        let next = try #require(try await viewer.board())
        #expect(next.board["at"] == "2026-11-22" && next.board.seconds == [0])
        #expect(try await viewer.names(3) == pings)
        live.stop()
    }

    @Test func `who comes back with the last id hears nothing until something changes`() async throws {
        let room = try await Room()
        let live = Instance.quick()
        let viewer = try await Viewer(room.owner, room, live)
        let id = try #require(try await viewer.next()?.id)
        await viewer.leave()
        let again = try await Viewer(room.owner, room, live, lastID: id)
        #expect(try await again.names(3) == pings)
        await room.owner.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")
        #expect(try await again.board()?.board.seconds == [3600])
        // Missed something; too long ago to know; not one of ours.
        #expect(try await Viewer(room.owner, room, live, lastID: id).next()?.name == "leaderboard")
        let last = try #require(try await Viewer(room.owner, room, live).next()?.id)
        try await TestDatabase.current.advance(60)
        #expect(try await Viewer(room.owner, room, live, lastID: last).next()?.name == "leaderboard")
        let known = try #require(try await Viewer(room.owner, room, live).next()?.id)
        let parts = known.split(separator: "-")
        for nonsense in [
            "", "5", parts.prefix(3).joined(separator: "-"), "\(parts[0])-\(parts[1])-x-\(parts[3])",
            "\(parts[0])-\(parts[1])-\(parts[2])--1", "\(known)-1",
        ] {
            #expect(try await Viewer(room.owner, room, live, lastID: nonsense).next()?.name == "leaderboard")
        }
        // Of another board.
        for query in ["?period=day", "?order=goal", "?limit=1"] {
            #expect(try await Viewer(room.owner, room, live, query: query, lastID: known).next()?.name == "leaderboard")
        }
        // Another instance counts otherwise, and so does this one after its database has failed.
        let other = Instance.quick()
        #expect(try await Viewer(room.owner, room, other, lastID: known).next()?.name == "leaderboard")
        other.stop()
        _ = try? await TestDatabase.current.service.read("SELECT pg_terminate_backend(pg_backend_pid())")
        #expect(try await Viewer(room.owner, room, live, lastID: known).next()?.name == "leaderboard")
        live.stop()
    }

    @Test func `who is removed from the group loses the stream`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        let live = Instance.quick()
        let viewer = try await Viewer(friend, room, live)
        _ = try await viewer.next()
        #expect(await room.owner.delete("\(room.path)/members/\(friend.id)").status == .noContent)
        #expect(try await viewer.board() == nil)
        #expect(live.count == 0)
        #expect(try await Viewer(friend, room, live).status == .notFound)
        #expect(live.count == 0)
    }

    @Test func `a stream ends with its sign-in`() async throws {
        let room = try await Room()
        let live = Instance.quick()
        let viewer = try await Viewer(room.owner, room, live)
        _ = try await viewer.next()
        _ = try await TestDatabase.current.database.write("DELETE FROM sign_ins WHERE uid = \(room.owner.uid)")
        #expect(try await viewer.board() == nil)
        #expect(live.count == 0)
    }

    @Test func `one person may have twenty streams at once`() async throws {
        let room = try await Room()
        let live = Instance.quick()
        var viewers: [Viewer] = []
        for _ in 0..<20 { viewers.append(try await Viewer(room.owner, room, live)) }
        #expect(try await Viewer(room.owner, room, live).status == .tooManyRequests)
        await viewers[0].leave()
        #expect(try await Viewer(room.owner, room, live).status == .ok)
        live.stop()
    }

    @Test func `a stopping service sends a last event`() async throws {
        let room = try await Room()
        let live = Instance.quick()
        let viewer = try await Viewer(room.owner, room, live)
        live.stop()
        #expect(try await viewer.names(2) == ["leaderboard", "bye"])
        #expect(try await viewer.next() == nil)
        #expect(try await Viewer(room.owner, room, live).status == .unavailable)
    }

    @Test func `what nobody can ask for any more is forgotten`() async throws {
        let room = try await Room()
        func kept() async throws -> Int {
            try await TestDatabase.current.database.read("SELECT count(*)::integer FROM board_changes")[0].decode(
                Int.self)
        }
        let live = Instance.quick()
        try await live.ranking.live.forget()
        #expect(try await kept() > 0)
        // A transaction of another test may be under way, in whose eyes these changes are news: then a later round does it.
        let patience = ContinuousClock.now + .seconds(60)
        while try await kept() > 0, .now < patience {
            try await Task.sleep(for: .milliseconds(50))
            try await TestDatabase.current.advance(121)
            try await live.ranking.live.forget()
        }
        #expect(try await kept() == 0)
        #expect(await room.owner.board(room)["participants"] == 1)
    }
}
