import HTTP
import TestSupport
import Testing

@Suite(.database) struct ReportTests {
    private func report(_ person: Person, by reporter: Person, on group: String? = nil) async -> Answer {
        var body: [String: JSON] = ["uid": .string(person.id), "reason": "Never sleeps"]
        if let group { body["group_id"] = .string(group) }
        return await reporter.post("/reports", .object(body))
    }

    /// A group of two.
    private func room() async throws -> (id: String, owner: Person, member: Person) {
        let (owner, member) = (try await Person("Dodam", service()), try await Person("Haneul", service()))
        let group = await owner.post("/groups", ["name": "Room"]).json["id"].string ?? "-"
        let code = await owner.post("/groups/\(group)/invitations").json["code"].string ?? "-"
        _ = await member.post("/invitations/\(code)/acceptances")
        return (group, owner, member)
    }

    @Test func `a report is made, read by site admins, and answered`() async throws {
        let admin = try await Person.siteAdmin()
        let (group, owner, member) = try await room()
        let made = await report(member, by: owner, on: group)
        #expect(made.status == .created)
        let id = made.json["id"].string ?? "-"
        #expect(made.headers["Location"] == "/api/v1/me/reports/\(id)")
        let listed = await admin.get("/admin/reports?open=true").json["items"]
        #expect(
            listed == [
                [
                    "id": .string(id), "reporter": ["uid": .string(owner.id), "nickname": "Dodam"],
                    "about": ["uid": .string(member.id), "nickname": "Haneul"], "group_id": .string(group),
                    "group_name": "Room", "reason": "Never sleeps", "made_at": "2026-11-21T03:00:00Z", "answer": nil,
                    "answered_at": nil, "answered_by": nil, "about_suspended": false, "about_count": 1,
                ]
            ])
        let answered = await admin.put("/admin/reports/\(id)/answer", ["answer": " We looked "])
        #expect(answered.json["answer"] == "We looked")
        #expect(answered.json["answered_by"]["nickname"] == "Warden")
        #expect(await admin.get("/admin/reports?open=true").json["items"] == [])
        #expect(await admin.get("/admin/reports").json["items"].array?.count == 1)
        #expect(await admin.put("/admin/reports/\(id)/answer", ["answer": "x"]).code == "report_closed")

        let own = await owner.get("/me/reports").json["items"]
        #expect(own[0]["answer"] == "We looked")
        #expect(own[0]["answered_by"].isNull)
        #expect(await owner.get("/me/reports/\(id)").json == own[0])
        #expect(await member.get("/me/reports").json["items"] == [])
        #expect(await member.get("/me/reports/\(id)").status == .notFound)
    }

    @Test func `only somebody whom one sees by name on that board can be reported`() async throws {
        _ = try await Person.siteAdmin()
        let (group, owner, member) = try await room()
        let stranger = try await Person("Sol", service())
        #expect(await report(member, by: stranger, on: group).status == .notFound)
        #expect(await report(stranger, by: owner, on: group).status == .notFound)
        #expect(await report(member, by: stranger).status == .notFound)
        _ = await member.patch("/groups/\(group)/members/me", ["visibility": "hidden"])
        #expect(await report(member, by: owner, on: group).status == .notFound)
        let seen = try await Person.onBoard("Jun", seconds: 60)
        #expect(await report(seen, by: stranger).status == .created)
        #expect(await report(seen, by: seen).code == "not_yourself")
    }

    @Test func `one report about somebody is open at a time, and ten a day are the most`() async throws {
        let admin = try await Person.siteAdmin()
        let (group, owner, member) = try await room()
        for _ in 1...10 {
            let made = await report(member, by: owner, on: group)
            #expect(made.status == .created)
            _ = await admin.put("/admin/reports/\(made.json["id"].string ?? "-")/answer", ["answer": "We looked"])
        }
        let refused = await report(member, by: owner, on: group)
        #expect(refused.status == .tooManyRequests)
        #expect(refused.code == "too_many_reports")
        #expect(refused.headers["Retry-After"] == "86400")
        try await TestDatabase.current.advance(86400)
        #expect(await report(member, by: owner, on: group).status == .created)
        #expect(await report(member, by: owner, on: group).code == "already_reported")
    }

    @Test func `a report says why`() async throws {
        let (group, owner, member) = try await room()
        for reason in ["", " ", String(repeating: "x", count: 501)] {
            let body: JSON = ["uid": .string(member.id), "group_id": .string(group), "reason": .string(reason)]
            #expect(await owner.post("/reports", body).code == "invalid_reason")
        }
        let admin = try await Person.siteAdmin()
        let id = await report(member, by: owner, on: group).json["id"].string ?? "-"
        #expect(await admin.put("/admin/reports/\(id)/answer", ["answer": ""]).code == "invalid_answer")
        #expect(await admin.get("/admin/reports?open=perhaps").code == "invalid_query")
    }
}
