import Foundation
import HTTP
import TestSupport
import Testing

@Suite(.database) struct InvitationTests {
    @Test func `an invitation is a link that lets a friend in`() async throws {
        let room = try await Room()
        let made = await room.owner.post("\(room.path)/invitations")
        #expect(made.status == .created)
        let code = try #require(made.json["code"].string)
        #expect(made.json["url"].string == "https://anthill.example/join/\(code)")
        #expect(made.json["expires_at"] == "2026-11-28T03:00:00Z")
        #expect(made.json.names == ["id", "code", "url", "expires_at", "uses_left"])
        #expect(made.json["uses_left"].isNull)
        #expect(made.headers["Cache-Control"] == "no-store")
        #expect(made.headers["Location"] == "/api/v1/invitations/\(code)")

        let preview = await groups().get("/api/v1/invitations/\(code)")
        #expect(preview.status == .ok)
        #expect(preview.json["group"]["id"].string == room.id)
        #expect(preview.json["group"]["name"] == "Grad Exam Room")
        #expect(preview.json["group"]["member_count"] == 1)
        #expect(preview.json["group"]["rules"]["day_starts_at"] == "05:00")

        let friend = try await Person("Haneul", groups())
        let joined = await friend.post("/invitations/\(code)/acceptances")
        #expect(joined.status == .created)
        #expect(
            joined.json == [
                "group_id": .string(room.id), "uid": .string(friend.id), "role": "member", "visibility": "shown",
                "joined_at": "2026-11-21T03:00:00Z",
            ])
        #expect(joined.headers["Location"] == "/api/v1\(room.path)")
        #expect(await friend.get(room.path).json["member_count"] == 2)
    }

    @Test func `the audit tells who invited, who came and which invitation was revoked`() async throws {
        let room = try await Room()
        let made = await room.owner.post("\(room.path)/invitations", ["uses": 2, "expires_in_days": 1]).json
        let friend = try await Person("Haneul", groups())
        for _ in 1...2 { _ = await friend.post("/invitations/\(made["code"].string ?? "-")/acceptances") }
        for _ in 1...2 { _ = await room.owner.delete("\(room.path)/invitations/\(made["id"].string ?? "-")") }
        let audit = await room.owner.get("\(room.path)/audit").json["items"]
        #expect(audit.array?.count == 3)
        #expect(audit[0]["kind"] == "invitation_revoked")
        #expect(audit[0]["actor"]["nickname"] == "Dodam")
        #expect(audit[0]["details"] == ["invitation_id": made["id"]])
        #expect(audit[1]["kind"] == "member_joined")
        #expect(audit[1]["actor"]["uid"].string == friend.id)
        #expect(audit[1]["member"]["uid"].string == friend.id)
        #expect(audit[1]["details"] == ["invitation_id": made["id"]])
        #expect(audit[2]["kind"] == "invitation_created")
        #expect(
            audit[2]["details"] == ["invitation_id": made["id"], "uses": 2, "until": "2026-11-22T03:00:00Z"])
    }

    @Test func `an invitation lasts as long as the rules say`() async throws {
        try await TestDatabase.current.sql(
            "CREATE OR REPLACE FUNCTION default_invitation_days() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 9")
        let room = try await Room()
        let made = await room.owner.post("\(room.path)/invitations")
        #expect(made.json["expires_at"] == "2026-11-30T03:00:00Z")
    }

    @Test func `who is in already stays in, and no use is lost`() async throws {
        let room = try await Room()
        let code = await room.owner.post("\(room.path)/invitations", ["uses": 1]).json["code"].string ?? "-"
        let answer = await room.owner.post("/invitations/\(code)/acceptances")
        #expect(answer.status == .conflict)
        #expect(answer.code == "already_member")
        #expect(await groups().get("/api/v1/invitations/\(code)").json["uses_left"] == 1)
    }

    @Test func `an invitation ends with its last use`() async throws {
        let room = try await Room()
        let code = await room.owner.post("\(room.path)/invitations", ["uses": 1]).json["code"].string ?? "-"
        let first = try await Person("Haneul", groups())
        #expect(await first.post("/invitations/\(code)/acceptances").status == .created)
        let second = try await Person("Minseo", groups())
        let late = await second.post("/invitations/\(code)/acceptances")
        #expect(late.status == .gone)
        #expect(late.code == "invitation_expired")
        #expect(await groups().get("/api/v1/invitations/\(code)").status == .gone)
    }

    @Test func `an invitation ends with its time`() async throws {
        let room = try await Room()
        let code = await room.owner.post("\(room.path)/invitations", ["expires_in_days": 1]).json["code"].string ?? "-"
        let friend = try await Person("Haneul", groups())
        try await TestDatabase.current.advance(86_399)
        #expect(await friend.get("/invitations/\(code)").status == .ok)
        try await TestDatabase.current.advance(1)
        #expect(await friend.post("/invitations/\(code)/acceptances").code == "invitation_expired")
    }

    @Test func `of 16 who take the last use at once one gets in`() async throws {
        let room = try await Room()
        let code = await room.owner.post("\(room.path)/invitations", ["uses": 1]).json["code"].string ?? "-"
        var friends: [Person] = []
        for number in 0..<16 { friends.append(try await Person("Friend \(number)", groups())) }
        let answers = await withTaskGroup { group in
            for friend in friends { group.addTask { await friend.post("/invitations/\(code)/acceptances") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == .created }.count == 1)
        #expect(answers.filter { $0.code == "invitation_expired" }.count == 15)
        #expect(await room.owner.get(room.path).json["member_count"] == 2)
    }

    @Test(
        arguments: [
            (["uses": 0], "invalid_uses", "uses"), (["uses": 10_001], "invalid_uses", "uses"),
            (["expires_in_days": 0], "invalid_expiry", "expires_in_days"),
            (["expires_in_days": 366], "invalid_expiry", "expires_in_days"),
            (["days": 3], "unknown_field", "days"),
        ] as [(JSON, String, String)])
    func `an invitation has bounds`(body: JSON, code: String, field: String) async throws {
        let room = try await Room()
        let answer = await room.owner.post("\(room.path)/invitations", body)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
    }

    @Test func `admins find their invitations again, the latest first and without codes, and take them back`()
        async throws
    {
        let room = try await Room()
        let first = await room.owner.post("\(room.path)/invitations").json
        try await TestDatabase.current.advance(1)
        let second = await room.owner.post("\(room.path)/invitations", ["uses": 3, "expires_in_days": 1]).json
        let page = await room.owner.get("\(room.path)/invitations?limit=1").json
        #expect(
            page["items"] == [
                [
                    "id": second["id"], "created_by": .string(room.owner.id), "nickname": "Dodam",
                    "created_at": "2026-11-21T03:00:01Z", "expires_at": "2026-11-22T03:00:01Z", "uses_left": 3,
                    "revoked": false,
                ]
            ])
        let rest = await room.owner.get("\(room.path)/invitations?after=\(page["next"].string ?? "-")").json
        #expect(rest["items"].array?.map(\.["id"]) == [first["id"]])
        #expect(rest["items"][0]["uses_left"].isNull)
        #expect(rest["next"].isNull)

        let path = "\(room.path)/invitations/\(second["id"].string ?? "-")"
        #expect(await room.owner.delete(path).status == .noContent)
        #expect(await room.owner.delete(path).status == .noContent)
        #expect(await room.owner.get("\(room.path)/invitations").json["items"][0]["revoked"] == true)
        let friend = try await Person("Haneul", groups())
        let code = second["code"].string ?? "-"
        #expect(await friend.post("/invitations/\(code)/acceptances").code == "invitation_expired")
        #expect(await friend.get("/invitations/\(code)/qr.svg").status == .gone)
        #expect(await friend.post("/invitations/\(first["code"].string ?? "-")/acceptances").status == .created)
    }

    @Test func `another group's invitation is not there to take back`() async throws {
        let room = try await Room()
        let invitation = await room.owner.post("\(room.path)/invitations").json["id"].string ?? "-"
        let other = try await Room()
        #expect(await other.owner.delete("\(other.path)/invitations/\(invitation)").status == .notFound)
        #expect(await room.owner.get("\(room.path)/invitations").json["items"][0]["revoked"] == false)
    }

    @Test func `the link can be had as a QR code`() async throws {
        let room = try await Room()
        let code = await room.code()
        let answer = await groups().get("/api/v1/invitations/\(code)/qr.svg")
        #expect(answer.status == .ok)
        #expect(answer.headers["Content-Type"] == "image/svg+xml")
        let svg = String(decoding: answer.body, as: UTF8.self)
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "))
        #expect(await groups().get("/api/v1/invitations/nonsense/qr.svg").status == .notFound)
    }

    @Test func `a code that was never made is not there`() async throws {
        let room = try await Room()
        #expect(await groups().get("/api/v1/invitations/nonsense").status == .notFound)
        #expect(await room.owner.post("/invitations/nonsense/acceptances").status == .notFound)
    }
}
