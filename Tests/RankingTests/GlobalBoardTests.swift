import Foundation
import HTTP
import Postgres
import Reactor
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

    private func fold() async throws { try await Chore.foldRanks(TestDatabase.current.database).run() }

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
        // What is as young as a transaction that is still under way, any other test's, waits for the next round. Dropping a
        // database is one, and waits for each backend that another test has stopped.
        let latest = ContinuousClock.now + .seconds(120)
        while try await waiting() > 0 {
            try #require(ContinuousClock.now < latest, "a transaction has been under way for two minutes")
            try await fold()
            try await Task.sleep(for: .milliseconds(5))
        }
        // Until then the board is kept.
        try await TestDatabase.current.advance(1)
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
        ("period=year", 422, "invalid_period", "period"), ("period=week&at=2026-11", 422, "invalid_period", "at"),
        ("as_of=2026-11-20T00:00:00Z", 422, "no_past_board", "as_of"),
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

    @Test func `a board that has months alone says so when another period is asked for`() async throws {
        let path = "/leaderboard/groups"
        let person = try await person("Haneul", seconds: 0)
        for query in ["period=day", "period=week", "period=week&at=2026-11-16", "at=2026-11-21"] {
            let detail = await person.get("\(path)?\(query)").json["detail"].string ?? "-"
            #expect(detail == "This board is by month: the only period is month, and at is written like 2026-11.")
        }
        #expect(await person.get("\(path)?period=month&at=2026-11").status == .ok)
    }

    @Test func `days and weeks have boards of their own, with the places won since the period before`() async throws {
        let haneul = try await person("Haneul", seconds: 3600)
        let dodam = try await person("Dodam", seconds: 60)
        try await TestDatabase.current.setClock("2026-11-23T03:00:00Z")
        try await dodam.run(600)
        for query in ["period=day", "period=week", "period=week&at=2026-11-23"] {
            let board = await haneul.get("/leaderboard?\(query)").json
            #expect(board.nicknames == ["Dodam"])
            #expect(board["me"]["rank"] == 2)
        }
        let saturday = await haneul.get("/leaderboard?period=day&at=2026-11-21").json
        #expect(saturday["period"] == "day")
        #expect(saturday["at"] == "2026-11-21")
        #expect(saturday.nicknames == ["Haneul", "Dodam"])
        let week = await dodam.get("/leaderboard?period=week").json
        #expect(week["entries"][0]["change"] == 1)
        #expect(await haneul.get("/leaderboard").json.seconds == [3600, 660])
    }

    @Test func `a cursor goes on in its own day`() async throws {
        for number in 0..<3 { _ = try await person("Ant \(number)", seconds: 600 + number) }
        let reader = try await person("Reader", seconds: 0)
        let first = await reader.get("/leaderboard?period=day&limit=2").json
        try await TestDatabase.current.setClock("2026-11-22T03:00:00Z")
        let next = await reader.get("/leaderboard?period=day&limit=2&after=\(first["next"].string ?? "")").json
        #expect(next["at"] == "2026-11-21")
        #expect(next.seconds == [600])
    }

    @Test func `one's own number is explained, and nobody is told who is studying`() async throws {
        let haneul = try await person("Haneul", seconds: 3600)
        _ = await haneul.post("/me/timer/start", [:])
        let board = await haneul.get("/leaderboard").json
        #expect(board["entries"][0]["studying"] == false)
        let number = await haneul.get("/leaderboard/explanation?period=week").json
        #expect(number["group"].isNull)
        #expect(number["rank"] == 1)
        #expect(number["seconds"] == 3600)
        #expect(number["days"][0]["parts"].array?.count == 1)
        try await choose(haneul, false)
        let without = await haneul.get("/leaderboard/explanation").json
        #expect(without["rank"].isNull)
        #expect(without["days"].array?.isEmpty == true)
    }

    @Test func `a watcher has the board at once and again when somebody's time changes`() async throws {
        let haneul = try await person("Haneul", seconds: 60)
        let dodam = try await person("Dodam", seconds: 120)
        let live = Instance.quick()
        let viewer = try await Viewer(haneul, at: "/leaderboard/stream?period=week", live)
        let first = try #require(try await viewer.board()?.board)
        #expect(first == (await haneul.get("/leaderboard?period=week").json))
        #expect(first["me"]["rank"] == 2)
        try await time(haneul, hour: 21, minutes: 2)
        #expect(try await viewer.board()?.board["me"]["rank"] == 1)
        try await time(dodam, hour: 21, minutes: 5)
        try await TestDatabase.current.advance(1)
        #expect(try await viewer.board()?.board["me"]["rank"] == 2)
        live.stop()
        #expect(try await viewer.names(50).last == "bye")
    }

    @Test func `a stream ends with the sign-in`() async throws {
        let haneul = try await person("Haneul", seconds: 60)
        let live = Instance.quick()
        let viewer = try await Viewer(haneul, at: "/leaderboard/stream", live)
        _ = try await viewer.board()
        try await TestDatabase.current.sql("DELETE FROM sign_ins WHERE uid = '\(haneul.id)'")
        while try await viewer.next() != nil {}
        #expect(live.count == 0)
        live.stop()
    }

    // MARK: Keeping

    /// Some minutes of the day by the timer, which another instance has recorded.
    private func time(_ person: Person, hour: Int, minutes: Int) async throws {
        try await TestDatabase.current.sql(
            """
            DO $$
            DECLARE
              owner students := lock_student('\(person.id)');
              i study_intervals;
            BEGIN
              i.uid := owner.uid;
              i.interval_id := gen_random_uuid();
              INSERT INTO study_sessions (uid, state, source) VALUES (owner.uid, 'finished', 'timer')
                RETURNING session_id INTO i.session_id;
              i.started_at := '2026-11-20T\(hour):00:00Z';
              i.ended_at := i.started_at + interval '\(minutes) minutes';
              i.source := 'timer';
              i.time_zone := owner.time_zone;
              i.day_starts_at := owner.day_starts_at;
              i.recorded_at := anthill_clock();
              i.unconfirmed := false;
              PERFORM add_interval(i, owner, clock_of(owner));
            END $$
            """)
    }

    @Test func `the top is read once a second for everybody, and at once for a writer`() async throws {
        let haneul = try await person("Haneul", seconds: 60)
        let (instance, reader) = (Instance(), try await person("Reader", seconds: 0, isIn: false))
        func seconds(_ person: Person, _ query: String = "") async -> [Int] {
            await instance.client.get("/api/v1/leaderboard\(query)", bearer: person.token).json.seconds
        }
        for person in [haneul, reader] { #expect(await seconds(person) == [60]) }
        try await time(haneul, hour: 21, minutes: 1)
        #expect(await seconds(reader) == [60])
        #expect(await seconds(haneul) == [120])
        // From then on everybody sees it; and another length is another page.
        #expect(await seconds(reader) == [120])
        try await time(haneul, hour: 22, minutes: 1)
        #expect(await seconds(reader) == [120])
        #expect(await seconds(reader, "?limit=20") == [180])
        try await TestDatabase.current.advance(1)
        #expect(await seconds(reader) == [180])
    }

    @Test func `one's own place follows one's own changes at once, those of others within a second`() async throws {
        let haneul = try await person("Haneul", seconds: 120)
        let me = try await person("Dodam", seconds: 60)
        let instance = Instance()
        func board() async -> JSON { await instance.client.get("/api/v1/leaderboard", bearer: me.token).json }
        #expect(await board()["me"]["rank"] == 2)
        try await time(me, hour: 21, minutes: 2)
        #expect(await board()["me"]["rank"] == 1)
        #expect(await board().nicknames == ["Dodam", "Haneul"])
        try await time(haneul, hour: 21, minutes: 5)
        #expect(await board()["me"]["rank"] == 1)
        try await TestDatabase.current.advance(1)
        #expect(await board()["me"]["rank"] == 2)
        try await choose(me, false)
        #expect(await board()["me"].isNull)
        #expect(await board().nicknames == ["Haneul"])
        try await choose(me, true)
        #expect(await board()["me"]["seconds"] == 180)
    }

    @Test func `the top of each month is kept apart`() async throws {
        let me = try await person("Dodam", seconds: 60)
        try await TestDatabase.current.setClock("2026-12-10T03:00:00Z")
        _ = try await person("Haneul", seconds: 0)
        try await TestDatabase.current.setClock("2026-12-10T03:00:00Z")
        #expect(await me.get("/leaderboard").json["at"] == "2026-12")
        #expect(await me.get("/leaderboard").json.seconds == [])
        #expect(await me.get("/leaderboard?at=2026-11").json.seconds == [60])
        #expect(await me.get("/leaderboard?at=2026-12").json.seconds == [])
    }
}
