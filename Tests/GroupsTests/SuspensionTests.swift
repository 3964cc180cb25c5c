import Foundation
import HTTP
import TestSupport
import Testing

@Suite(.database) struct SuspensionTests {
    private static let until: JSON = "2026-11-28T20:00:00Z"

    private func suspend(
        _ member: Person, _ room: Room, by admin: Person? = nil, until: JSON = Self.until
    ) async -> Answer {
        await (admin ?? room.owner).post(
            "\(room.path)/suspensions", ["uid": .string(member.id), "reason": "Twelve hours each day", "until": until])
    }

    @Test func `a member is suspended, reads why, answers, and is let back`() async throws {
        let room = try await Room()
        let member = try await room.join("Haneul")
        let made = await suspend(member, room)
        #expect(made.status == .created)
        let id = made.json["id"].string ?? "-"
        #expect(made.headers["Location"] == "/api/v1\(room.path)/suspensions/\(id)")
        let expected: JSON = [
            "id": .string(id), "uid": .string(member.id), "nickname": "Haneul", "reason": "Twelve hours each day",
            "since": "2026-11-21T03:00:00Z", "until": "2026-11-28T20:00:00Z", "in_force": true,
            "suspended_by": ["uid": .string(room.owner.id), "nickname": "Dodam"], "lifted_at": nil, "lifted_by": nil,
            "answer": nil, "answered_at": nil,
        ]
        #expect(made.json == expected)
        #expect(await member.get(room.path).json["my_suspension"] == expected)
        #expect(await member.get("/groups").json["items"][0]["my_suspension"] == expected)
        #expect(await room.owner.get(room.path).json["my_suspension"].isNull)
        #expect(await room.owner.get("/groups").json["items"][0]["my_suspension"].isNull)

        try await TestDatabase.current.advance(60)
        let path = "\(room.path)/suspensions/\(id)"
        #expect(await member.put("\(path)/answer", ["answer": "I was"]).status == .ok)
        let answered = await member.put("\(path)/answer", ["answer": "  I was at camp \n\n ask them "])
        #expect(answered.json["answer"] == "I was at camp\n\nask them")
        #expect(answered.json["answered_at"] == "2026-11-21T03:01:00Z")
        #expect(await room.owner.get(path).json == answered.json)

        #expect(await room.owner.delete(path).status == .noContent)
        #expect(await member.get(room.path).json["my_suspension"].isNull)
        let lifted = await member.get("\(room.path)/suspensions").json["items"]
        #expect(lifted.array?.count == 1)
        #expect(lifted[0]["in_force"] == false)
        #expect(lifted[0]["lifted_at"] == "2026-11-21T03:01:00Z")
        #expect(lifted[0]["lifted_by"]["nickname"] == "Dodam")
        for late in [await room.owner.delete(path), await member.put("\(path)/answer", ["answer": "x"])] {
            #expect(late.status == .conflict)
            #expect(late.code == "suspension_over")
        }
    }

    @Test func `a suspension runs out by the clock, to the second`() async throws {
        let room = try await Room()
        let member = try await room.join("Haneul")
        let id = await suspend(member, room, until: "2026-11-21T04:00:00Z").json["id"].string ?? "-"
        try await TestDatabase.current.setClock("2026-11-21T03:59:59Z")
        #expect(await member.get(room.path).json["my_suspension"]["in_force"] == true)
        #expect(await suspend(member, room).code == "already_suspended")
        try await TestDatabase.current.advance(1)
        #expect(await member.get(room.path).json["my_suspension"].isNull)
        let path = "\(room.path)/suspensions/\(id)"
        #expect(await room.owner.get(path).json["in_force"] == false)
        #expect(await room.owner.get(path).json["lifted_at"].isNull)
        #expect(await room.owner.delete(path).code == "suspension_over")
        #expect(await member.put("\(path)/answer", ["answer": "late"]).code == "suspension_over")
        #expect(await suspend(member, room).status == .created)
    }

    @Test func `an admin suspends and lets back members, an owner anybody else, nobody themselves`() async throws {
        let room = try await Room()
        let admin = try await room.join("Haneul", as: "admin")
        let other = try await room.join("Minseo", as: "admin")
        let second = try await room.join("Sol", as: "owner")
        let member = try await room.join("Jun")
        #expect(await suspend(member, room, by: admin).status == .created)
        for target in [other, room.owner] {
            let refused = await suspend(target, room, by: admin)
            #expect(refused.status == .forbidden)
            #expect(refused.code == "not_allowed")
        }
        for person in [admin, room.owner] {
            let refused = await suspend(person, room, by: person)
            #expect(refused.status == .unprocessable)
            #expect(refused.code == "not_yourself")
            #expect(refused.json["field"] == "uid")
        }
        let suspended = await suspend(other, room).json["id"].string ?? "-"
        let path = "\(room.path)/suspensions/\(suspended)"
        #expect(await admin.delete(path).code == "not_allowed")
        #expect(await other.delete(path).code == "not_allowed")
        #expect(await second.delete(path).status == .noContent)
        let owners = await suspend(second, room).json["id"].string ?? "-"
        #expect(await second.delete("\(room.path)/suspensions/\(owners)").code == "not_allowed")
        #expect(await room.owner.delete("\(room.path)/suspensions/\(owners)").status == .noContent)
    }

    @Test func `one is read by who is concerned and by admins, and by nobody else`() async throws {
        let room = try await Room()
        let member = try await room.join("Haneul")
        let other = try await room.join("Minseo")
        let admin = try await room.join("Sol", as: "admin")
        let id = await suspend(member, room).json["id"].string ?? "-"
        let path = "\(room.path)/suspensions"
        #expect(await other.get(path).json == ["items": [], "next": nil])
        #expect(await other.get("\(path)/\(id)").status == .notFound)
        #expect(await other.put("\(path)/\(id)/answer", ["answer": "x"]).status == .notFound)
        #expect(await admin.put("\(path)/\(id)/answer", ["answer": "x"]).code == "not_allowed")
        #expect(await admin.get(path).json["items"].array?.count == 1)
        #expect(await member.get("\(path)/\(id)").json["reason"] == "Twelve hours each day")
        let elsewhere = await other.post("/groups", ["name": "Another"]).json["id"].string ?? "-"
        #expect(await other.get("/groups/\(elsewhere)/suspensions/\(id)").status == .notFound)
        #expect(await other.delete("/groups/\(elsewhere)/suspensions/\(id)").status == .notFound)
    }

    @Test func `suspensions are listed, the latest first, page after page`() async throws {
        let room = try await Room()
        var uids: [String] = []
        for name in ["Haneul", "Minseo", "Jun"] {
            let person = try await room.join(name)
            try await TestDatabase.current.advance(1)
            _ = await suspend(person, room)
            uids.insert(person.id, at: 0)
        }
        let first = await room.owner.get("\(room.path)/suspensions?limit=2").json
        let rest = await room.owner.get("\(room.path)/suspensions?after=\(first["next"].string ?? "-")").json
        let listed = ((first["items"].array ?? []) + (rest["items"].array ?? [])).compactMap(\.["uid"].string)
        #expect(listed == uids)
        #expect(rest["next"].isNull)
    }

    @Test func `a suspension outlasts leaving and coming back`() async throws {
        let room = try await Room()
        let member = try await room.join("Haneul")
        let id = await suspend(member, room).json["id"].string ?? "-"
        try await TestDatabase.current.advance(60)
        _ = await member.delete("\(room.path)/members/me")
        #expect(await member.put("\(room.path)/suspensions/\(id)/answer", ["answer": "x"]).status == .notFound)
        _ = await member.post("/invitations/\(await room.code())/acceptances")
        #expect(await member.get(room.path).json["my_suspension"]["id"].string == id)
    }

    @Test func `who has left is let back by any admin`() async throws {
        let room = try await Room()
        let admin = try await room.join("Haneul", as: "admin")
        let gone = try await room.join("Sol", as: "admin")
        let id = await suspend(gone, room).json["id"].string ?? "-"
        try await TestDatabase.current.advance(60)
        _ = await gone.delete("\(room.path)/members/me")
        #expect(await admin.delete("\(room.path)/suspensions/\(id)").status == .noContent)
    }

    @Test(arguments: [
        ("2026-11-21T03:00:00Z", "suspension_until"), ("2026-11-20T03:00:00Z", "suspension_until"),
        ("2027-11-22T03:00:01Z", "suspension_until"), ("9999-12-31T23:59:59Z", "suspension_until"),
        ("2026-11-28", "invalid_time"), ("0000-01-01T00:00:00Z", "invalid_time"), ("", "invalid_time"),
    ])
    func `a suspension ends ahead, within 366 days`(until: String, code: String) async throws {
        let room = try await Room()
        let member = try await room.join("Haneul")
        let refused = await suspend(member, room, until: .string(until))
        #expect(refused.status == .unprocessable)
        #expect(refused.code == code)
        #expect(refused.json["field"] == "until")
        #expect(await suspend(member, room, until: "2027-11-22T03:00:00Z").status == .created)
    }

    @Test func `who is not in the group is not suspended from it`() async throws {
        let room = try await Room()
        let stranger = try await Person("Sol", groups())
        #expect(await suspend(stranger, room).status == .notFound)
    }

    @Test func `of two admins who suspend or lift at once one does`() async throws {
        let room = try await Room()
        let admin = try await room.join("Haneul", as: "admin")
        let member = try await room.join("Jun")
        async let one = suspend(member, room)
        async let two = suspend(member, room, by: admin)
        let made = [await one, await two]
        #expect(made.filter { $0.status == .created }.count == 1)
        #expect(made.filter { $0.code == "already_suspended" }.count == 1)
        let id = made.first { $0.status == .created }?.json["id"].string ?? "-"
        async let first = admin.delete("\(room.path)/suspensions/\(id)")
        async let second = room.owner.delete("\(room.path)/suspensions/\(id)")
        let lifted = [await first, await second]
        #expect(lifted.filter { $0.status == .noContent }.count == 1)
        #expect(lifted.filter { $0.code == "suspension_over" }.count == 1)
        let kinds = await room.owner.get("\(room.path)/audit").json["items"].array?.compactMap(\.["kind"].string) ?? []
        #expect(kinds.filter { $0 == "suspension_lifted" }.count == 1)
    }

    @Test func `the audit has what was done to members in its order, and no address`() async throws {
        let room = try await Room()
        let (member, other) = (try await room.join("Haneul"), try await room.join("Minseo"))
        let id = await suspend(member, room).json["id"].string ?? "-"
        _ = await member.put("\(room.path)/suspensions/\(id)/answer", ["answer": "No"])
        _ = await member.put("\(room.path)/suspensions/\(id)/answer", ["answer": "No"])
        _ = await room.owner.delete("\(room.path)/suspensions/\(id)")
        _ = await room.owner.patch("\(room.path)/members/\(member.id)", ["role": "admin"])
        _ = await member.delete("\(room.path)/members/\(other.id)?ban=true")
        _ = await member.delete("\(room.path)/bans/\(other.id)")
        _ = await member.patch(room.path, ["rules": ["daily_cap_seconds": 36000]])
        // Somebody else's group, and what happened to the account itself, are not in it.
        let elsewhere = await other.post("/groups", ["name": "Another"]).json["id"].string ?? "-"
        _ = await other.patch("/groups/\(elsewhere)", ["rules": ["manual_counts": false]])
        let audit = await room.owner.get("\(room.path)/audit").json
        let kinds = [
            "rules_declared", "ban_lifted", "member_banned", "member_role_changed", "suspension_lifted",
            "suspension_answered", "member_suspended", "member_joined", "invitation_created", "member_joined",
            "invitation_created",
        ]
        #expect(audit["items"].array?.compactMap(\.["kind"].string) == kinds)
        let person: JSON = ["uid": .string(member.id), "nickname": "Haneul"]
        #expect(
            audit["items"][6] == [
                "at": "2026-11-21T03:00:00Z", "kind": "member_suspended", "member": person,
                "actor": ["uid": .string(room.owner.id), "nickname": "Dodam"],
                "details": [
                    "suspension_id": .string(id), "by": "owner", "reason": "Twelve hours each day",
                    "until": "2026-11-28T20:00:00Z",
                ],
            ])
        #expect(audit["items"][5]["details"] == ["suspension_id": .string(id), "answer": "No"])
        #expect(audit["items"][3]["details"] == ["from": "member", "to": "admin"])
        #expect(audit["items"][0]["member"].isNull)
        #expect(audit["items"][0]["details"]["from_month"] == "2026-12")
        #expect(audit["items"][0]["details"]["daily_cap_seconds"] == 36000)
        var walked: [String] = []
        var next = ""
        repeat {
            let page = await room.owner.get("\(room.path)/audit?limit=3\(next)").json
            walked += page["items"].array?.compactMap(\.["kind"].string) ?? []
            next = page["next"].string.map { "&after=\($0)" } ?? ""
        } while !next.isEmpty && walked.count < 20
        #expect(walked == kinds)
    }

    @Test func `a reason of any lines is kept as it was meant, an empty one refused`() async throws {
        let room = try await Room()
        let member = try await room.join("Haneul")
        let path = "\(room.path)/suspensions"
        for reason in ["", "  \n ", String(repeating: "x", count: 501), "a\u{202E}b"] {
            let body: JSON = ["uid": .string(member.id), "reason": .string(reason), "until": Self.until]
            let refused = await room.owner.post(path, body)
            #expect(refused.code == "invalid_reason")
            #expect(refused.json["field"] == "reason")
        }
        let id = await suspend(member, room).json["id"].string ?? "-"
        for answer in ["", String(repeating: "y", count: 501)] {
            #expect(await member.put("\(path)/\(id)/answer", ["answer": .string(answer)]).code == "invalid_answer")
        }
    }
}
