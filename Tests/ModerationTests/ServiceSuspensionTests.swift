import HTTP
import Moderation
import Reactor
import TestSupport
import Testing

@Suite(.database) struct ServiceSuspensionTests {
    private static let until: JSON = "2026-11-28T20:00:00Z"

    private func suspend(_ person: Person, by admin: Person, until: JSON = Self.until) async -> Answer {
        await admin.post(
            "/admin/suspensions", ["uid": .string(person.id), "reason": "Twelve hours each day", "until": until])
    }

    /// What the program does every few seconds.
    private func putBack() async throws {
        for chore in moderationFeature().chores { try await chore.run() }
    }

    @Test func `somebody is suspended, reads why, answers, and is back with all their time`() async throws {
        let admin = try await Person.siteAdmin()
        let person = try await Person.onBoard("Haneul", seconds: 7200)
        let other = try await Person.onBoard("Minseo", seconds: 3600)
        #expect(await other.get("/leaderboard").json["me"]["rank"] == 2)
        let made = await suspend(person, by: admin)
        #expect(made.status == .created)
        let id = made.json["id"].string ?? "-"
        #expect(made.headers["Location"] == "/api/v1/admin/suspensions/\(id)")
        #expect(made.json["suspended_by"]["nickname"] == "Warden")
        // The top is read again each second.
        try await TestDatabase.current.advance(1)
        #expect(await other.seen() == ["Minseo"])
        #expect(await other.get("/leaderboard").json["me"]["rank"] == 1)
        #expect(await person.get("/leaderboard").json["me"].isNull)

        // Their pages ask for their groups.
        #expect(await person.get("/groups").status == .ok)
        let own = await person.get("/me/suspensions").json["items"]
        #expect(own.array?.count == 1)
        #expect(own[0]["reason"] == "Twelve hours each day")
        #expect(own[0]["until"] == Self.until)
        #expect(own[0]["in_force"] == true)
        // They learn why, and not who of the admins it was.
        #expect(own[0]["suspended_by"].isNull)
        let answered = await person.put("/me/suspensions/\(id)/answer", ["answer": " I was at camp "])
        #expect(answered.json["answer"] == "I was at camp")
        #expect(answered.json["suspended_by"].isNull)
        #expect(await admin.get("/admin/suspensions/\(id)").json["answer"] == "I was at camp")

        #expect(await admin.delete("/admin/suspensions/\(id)").status == .noContent)
        try await TestDatabase.current.advance(1)
        #expect(await other.seen() == ["Haneul", "Minseo"])
        #expect(await person.get("/leaderboard").json["me"]["seconds"] == 7200)
        #expect(await person.get("/me/suspensions").json["items"][0]["in_force"] == false)
        #expect(await person.get("/me/suspensions").json["items"][0]["lifted_by"].isNull)
        for late in [
            await admin.delete("/admin/suspensions/\(id)"),
            await person.put("/me/suspensions/\(id)/answer", ["answer": "x"]),
        ] {
            #expect(late.code == "suspension_over")
        }
    }

    @Test func `a suspension runs out, and the next round puts the person back`() async throws {
        let admin = try await Person.siteAdmin()
        let person = try await Person.onBoard("Haneul", seconds: 3600)
        _ = await suspend(person, by: admin, until: "2026-11-21T05:00:00Z")
        try await TestDatabase.current.setClock("2026-11-21T04:59:59Z")
        try await putBack()
        #expect(await admin.seen() == [])
        try await TestDatabase.current.advance(1)
        try await putBack()
        #expect(await admin.seen() == ["Haneul"])
        #expect(await suspend(person, by: admin).status == .created)
    }

    @Test func `a suspension of the service leaves the boards of groups as they are, and one of a group this board`()
        async throws
    {
        let admin = try await Person.siteAdmin()
        let person = try await Person.onBoard("Haneul", seconds: 3600)
        let owner = try await Person.onBoard("Dodam", seconds: 60)
        let group = await owner.post("/groups", ["name": "Room"]).json["id"].string ?? "-"
        let code = await owner.post("/groups/\(group)/invitations").json["code"].string ?? "-"
        _ = await person.post("/invitations/\(code)/acceptances")
        let board = {
            await owner.get("/groups/\(group)/leaderboard").json["entries"].array?.compactMap(\.["nickname"].string)
        }
        let id = await suspend(person, by: admin).json["id"].string ?? "-"
        #expect(await board() == ["Haneul", "Dodam"])
        #expect(await person.get("/groups/\(group)").json["my_suspension"].isNull)
        #expect(await person.get("/groups/\(group)/suspensions").json["items"] == [])
        _ = await admin.delete("/admin/suspensions/\(id)")
        _ = await owner.post(
            "/groups/\(group)/suspensions", ["uid": .string(person.id), "reason": "x", "until": Self.until])
        #expect(await board() == ["Dodam"])
        #expect(await admin.seen() == ["Haneul", "Dodam"])
        #expect(await person.get("/me/suspensions").json["items"].array?.count == 1)
    }

    @Test func `what cannot be is refused in the words of groups`() async throws {
        let admin = try await Person.siteAdmin()
        let person = try await Person("Haneul", service())
        #expect(await suspend(admin, by: admin).code == "not_yourself")
        #expect(await suspend(person, by: admin, until: "2026-11-21T03:00:00Z").code == "suspension_until")
        #expect(await suspend(person, by: admin, until: "tomorrow").code == "invalid_time")
        let empty: JSON = ["uid": .string(person.id), "reason": " ", "until": Self.until]
        #expect(await admin.post("/admin/suspensions", empty).code == "invalid_reason")
        #expect(await suspend(person, by: admin).status == .created)
        #expect(await suspend(person, by: admin).code == "already_suspended")
        let nobody: JSON = ["uid": "00000000-0000-0000-0000-000000000001", "reason": "x", "until": Self.until]
        #expect(await admin.post("/admin/suspensions", nobody).code == "not_found")
    }

    @Test func `nobody lifts their own suspension, and nobody answers another's`() async throws {
        let (admin, second) = (try await Person.siteAdmin(), try await Person.siteAdmin("Second"))
        let id = await suspend(admin, by: second).json["id"].string ?? "-"
        #expect(await admin.delete("/admin/suspensions/\(id)").code == "not_allowed")
        #expect(await second.put("/me/suspensions/\(id)/answer", ["answer": "x"]).status == .notFound)
        #expect(await second.delete("/admin/suspensions/\(id)").status == .noContent)
    }

    @Test func `suspensions are listed page after page, the latest first`() async throws {
        let admin = try await Person.siteAdmin()
        var uids: [String] = []
        for name in ["Haneul", "Minseo", "Jun"] {
            let person = try await Person(name, service())
            try await TestDatabase.current.advance(1)
            _ = await suspend(person, by: admin)
            uids.insert(person.id, at: 0)
        }
        let first = await admin.get("/admin/suspensions?limit=2").json
        let rest = await admin.get("/admin/suspensions?after=\(first["next"].string ?? "-")").json
        let listed = ((first["items"].array ?? []) + (rest["items"].array ?? [])).compactMap(\.["uid"].string)
        #expect(listed == uids)
    }
}
