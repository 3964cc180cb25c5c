import HTTP
import Postgres
import TestSupport
import Testing

@testable import Ranking

/// What the members of a group see of one another beside the board.
@Suite(.database) struct MemberProfileTests {
    /// Lets a member show their calendar, or not.
    private func show(_ person: Person, _ isShown: Bool = true) async throws {
        _ = try await TestDatabase.current.database.write(
            "UPDATE users SET days_shown = \(isShown) WHERE uid = \(person.uid)")
    }

    @Test func `a member tells since when they are there, and no more unless they want to`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        let path = "\(room.path)/members/\(friend.id)"
        let plain = await room.owner.get(path).json
        #expect(plain["nickname"] == "Haneul" && plain["role"] == "member")
        #expect(plain["joined_at"] == "2026-11-21T03:00:00Z" && plain["avatar_url"].isNull)
        #expect(plain["today"].isNull && plain["months"] == [])
        #expect(await room.owner.get("\(path)/days").code == "days_not_shown")

        try await show(friend)
        #expect(await room.owner.get(path).json["today"] == "2026-11-21")
        try await show(friend, false)
        #expect(await room.owner.get("\(path)/days").code == "days_not_shown")
    }

    @Test func `their calendar is the one that they see themselves, by their own clock`() async throws {
        let room = try await Room()
        let friend = try await room.join("Inês", timeZone: "America/Sao_Paulo")
        try await show(friend)
        await friend.log("2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z")
        _ = await friend.post("/me/timer/start")
        try await TestDatabase.current.advance(60)
        let path = "\(room.path)/members/\(friend.id)"
        // 00:01 on the 21st in São Paulo is before 05:00.
        #expect(await room.owner.get(path).json["today"] == "2026-11-20")
        for month in ["", "?month=2026-11", "?month=2026-10"] {
            let theirs = await room.owner.get("\(path)/days\(month)")
            #expect(theirs.status == .ok)
            #expect(theirs.json == (await friend.get("/me/days\(month)").json))
        }
        #expect(await room.owner.get("\(path)/days").json["totals"]["study_seconds"] == 3660)
        #expect(await room.owner.get("\(path)/days?month=11").code == "invalid_month")
        // Planned days of rest are theirs to know.
        #expect(await room.owner.get("\(path)/days?month=2026-12").code == "future_period")
    }

    @Test(arguments: ["shown", "nickname", "hidden"])
    func `who shows only a name, or nothing, shows no calendar either`(visibility: String) async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        try await show(friend)
        _ = await friend.patch("\(room.path)/members/me", ["visibility": .string(visibility)])
        let path = "\(room.path)/members/\(friend.id)"
        for reader in [room.owner, friend] {
            let (profile, days) = (await reader.get(path), await reader.get("\(path)/days"))
            switch visibility {
            case "shown": #expect(!profile.json["today"].isNull && days.status == .ok)
            case "hidden" where reader.id != friend.id:
                #expect(profile.code == "not_found" && days.code == "not_found")
            default: #expect(profile.json["today"].isNull && days.code == "days_not_shown")
            }
        }
    }

    @Test func `members alone see members`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        let stranger = try await Person("Jun", everything())
        for person in [room.owner, friend, stranger] { try await show(person) }
        for end in ["", "/days"] {
            #expect(await room.owner.get("\(room.path)/members/\(stranger.id)\(end)").code == "not_found")
            #expect(await stranger.get("\(room.path)/members/\(friend.id)\(end)").code == "not_found")
            #expect(await friend.get("\(room.path)/members/x\(end)").status == .notFound)
        }
        _ = await friend.delete("\(room.path)/members/me")
        #expect(await room.owner.get("\(room.path)/members/\(friend.id)").code == "not_found")
    }

    @Test func `closed months in which both took part stand side by side, amended`() async throws {
        let room = try await Room(at: "2026-09-20T03:00:00Z")
        await room.owner.log("2026-09-19T22:00:00Z", "2026-09-20T00:00:00Z")
        try await TestDatabase.current.setClock("2026-10-02T03:00:00Z")
        let friend = try await room.join("Haneul")
        await room.owner.log("2026-10-01T22:00:00Z", "2026-10-02T00:00:00Z")
        await friend.log("2026-10-01T21:00:00Z", "2026-10-02T00:00:00Z")
        // Who looks in now and then stays signed in.
        for time in ["2026-10-20T03:00:00Z", "2026-11-03T03:00:00Z"] {
            try await TestDatabase.current.setClock(time)
            for person in [room.owner, friend] { _ = await person.get("/groups") }
        }
        try await MonthCloser(database: TestDatabase.current.service) { Issue.record($0) }.run()
        let path = "\(room.path)/members/\(friend.id)"
        #expect(await room.owner.get(path).json["months"] == [])

        try await show(friend)
        let months = await room.owner.get(path).json["months"]
        #expect(
            months == [
                ["month": "2026-10", "yours": ["rank": 2, "seconds": 7200], "theirs": ["rank": 1, "seconds": 10_800]]
            ])
        _ = await room.owner.post(
            "\(room.path)/standings/2026-10/amendments",
            ["uid": .string(friend.id), "seconds": 3600, "reason": "slept at the desk"])
        let amended = await room.owner.get(path).json["months"][0]
        #expect(amended["yours"]["rank"] == 1 && amended["theirs"] == ["rank": 2, "seconds": 3600])
        // Nobody is compared with themselves.
        #expect(await friend.get(path).json["months"] == [])
    }
}
