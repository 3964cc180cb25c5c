import API
import HTTP
import Postgres
import TestSupport
import Testing

/// What a group's page shows of today, and of the days of a month.
@Suite(.database) struct RoomTests {
    private func today(_ person: Person, _ room: Room, _ query: String = "") async -> JSON {
        await person.get("\(room.path)/today\(query)").json
    }

    private func member(_ person: Person, in today: JSON) -> JSON {
        today["members"].array?.first { $0["uid"].string == person.id } ?? .null
    }

    private func show(_ person: Person, _ room: Room, _ visibility: JSON) async {
        _ = await person.patch("\(room.path)/members/me", ["visibility": visibility])
    }

    @Test func `the room shows who studies, since when, and the day of each`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        await room.owner.log("2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z")
        _ = await friend.post("/me/timer/start")
        try await TestDatabase.current.advance(600)
        let seen = await today(room.owner, room)
        #expect(seen["day"] == "2026-11-21" && seen["ends_at"] == "2026-11-21T20:00:00Z")
        #expect(seen["studying"] == 1 && seen["shown_count"] == 2 && seen["hidden_count"] == 0)
        #expect(seen["members"][0]["nickname"] == "Haneul")
        let sitting = member(friend, in: seen)["sitting"]
        #expect(sitting == ["since": "2026-11-21T03:00:00Z", "seconds": 600, "subject": nil])
        #expect(member(room.owner, in: seen)["sitting"].isNull && member(room.owner, in: seen)["seconds"] == 3600)
        let one = await today(room.owner, room, "?limit=1")
        #expect(one["members"].array?.count == 1 && one["shown_count"] == 2)
    }

    @Test(arguments: ["shown", "nickname", "hidden"])
    func `each visibility shows what it says and no more`(visibility: String) async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        await show(friend, room, .string(visibility))
        _ = try await TestDatabase.current.database.write(
            "UPDATE users SET subject_shown = true WHERE uid = \(friend.uid)")
        let subject = await friend.post("/me/subjects", ["name": "Maths", "colour": "sky"]).json["id"]
        _ = await friend.post("/me/timer/start", ["subject_id": subject])
        let seen = await today(room.owner, room)
        let told = member(friend, in: seen)
        switch visibility {
        case "shown": #expect(told["sitting"]["subject"] == ["name": "Maths", "colour": "sky"])
        case "nickname": #expect(!told["sitting"].isNull && told["sitting"]["subject"].isNull)
        default: #expect(told.isNull && seen["hidden_count"] == 1 && seen["studying"] == 0)
        }
        // Everybody sees themselves.
        #expect(member(friend, in: await today(friend, room))["nickname"] == "Haneul")
        let text = String(decoding: await room.owner.get("\(room.path)/today").body, as: UTF8.self)
        #expect(text.contains("Haneul") == (visibility != "hidden"))
    }

    @Test func `a notice, a cycle and a cheer are in the room at once`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        let before = await today(friend, room)
        #expect(before["notice"].isNull && before["cycle"].isNull)
        _ = await room.owner.put("\(room.path)/notice", ["text": "Library at nine"])
        _ = await room.owner.put("\(room.path)/cycle", ["study_minutes": 50, "rest_minutes": 10, "minute": 0])
        _ = await room.owner.post("\(room.path)/cheers", ["uid": .string(friend.id)])
        let seen = await today(friend, room)
        #expect(seen["notice"]["text"] == "Library at nine")
        #expect(seen["notice"]["written_by"] == ["uid": .string(room.owner.id), "nickname": "Dodam"])
        #expect(seen["cycle"]["resting"] == false && seen["cycle"]["ends_at"] == "2026-11-21T03:50:00Z")
        #expect(seen["cheers"]["received"] == 1 && seen["cheers"]["from"][0]["nickname"] == "Dodam")
        let given = await today(room.owner, room)
        #expect(given["cheers"]["left"] == 9 && member(friend, in: given)["cheered"] == true)
        await show(room.owner, room, "hidden")
        #expect(await today(friend, room)["cheers"] == ["left": 10, "received": 1, "from": []])
    }

    @Test func `the calendar adds up the days of all, and is for members`() async throws {
        let room = try await Room()
        let friend = try await room.join("Haneul")
        for person in [room.owner, friend] { await person.log("2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z") }
        let month = await friend.get("\(room.path)/days").json
        #expect(month["month"] == "2026-11" && month["today"] == "2026-11-21" && month["seconds"] == 7200)
        #expect(month["days"].array?.count == 30)
        #expect(month["days"][20] == ["day": "2026-11-21", "seconds": 7200, "people": 2])
        await show(friend, room, "hidden")
        #expect(await room.owner.get("\(room.path)/days?month=2026-11").json["days"][20]["people"] == 1)
        #expect(await room.owner.get("\(room.path)/days?month=2026-12").json["code"] == "future_period")
        #expect(await room.owner.get("\(room.path)/days?month=2026-13").json["code"] == "invalid_month")
        let stranger = try await Person("Stranger", everything())
        for path in ["today", "days"] { #expect(await stranger.get("\(room.path)/\(path)").status == .notFound) }
    }
}
