import Foundation
import HTTP
import TestSupport
import Testing

@Suite(.database) struct MemberTests {
    @Test func `members are listed, longest first, page after page`() async throws {
        let room = try await Room()
        var people = [room.owner.id]
        for name in ["Haneul", "Minseo", "Jun"] {
            try await TestDatabase.current.advance(1)
            people.append(try await room.join(name).id)
        }
        let first = await room.owner.get("\(room.path)/members?limit=3").json
        #expect(first["items"].array?.compactMap(\.["uid"].string) == Array(people[..<3]))
        #expect(
            first["items"][0] == [
                "uid": .string(room.owner.id), "nickname": "Dodam", "avatar_url": nil, "role": "owner",
                "visibility": "shown", "joined_at": "2026-11-21T03:00:00Z",
            ])
        let rest = await room.owner.get("\(room.path)/members?after=\(first["next"].string ?? "")").json
        #expect(rest["items"].array?.compactMap(\.["uid"].string) == Array(people[3...]))
        #expect(rest["next"].isNull)
    }

    @Test func `members are found by part of their nickname, ignoring case, page by page`() async throws {
        let room = try await Room()
        let names = ["Kim Haneul", "Minseo", "hAneuli", "100%_real", "김하늘"]
        for name in names { _ = try await room.join(name) }
        func found(_ query: String, _ reader: Person? = nil) async -> [String]? {
            await (reader ?? room.owner).get("\(room.path)/members?\(query)").json["items"].array?
                .compactMap(\.["nickname"].string).sorted()
        }
        #expect(await found("q=HANEUL") == ["Kim Haneul", "hAneuli"])
        #expect(await found("q=m%20h") == ["Kim Haneul"])
        // What means something to LIKE means itself.
        #expect(await found("q=%25_") == ["100%_real"])
        #expect(await found("q=_") == ["100%_real"])
        #expect(await found("q=nobody") == [])
        // As its parts, which some keyboards write, and with a space around.
        #expect(await found("q=%20%E1%84%92%E1%85%A1%E1%84%82%E1%85%B3%E1%86%AF%20") == ["김하늘"])
        #expect(await found("q=")?.count == 6)
        let first = await room.owner.get("\(room.path)/members?q=haneul&limit=1").json
        let rest = await found("q=haneul&after=\(first["next"].string ?? "")") ?? []
        #expect(Set(rest + [first["items"][0]["nickname"].string ?? ""]) == ["Kim Haneul", "hAneuli"])
        let shy = try await room.join("Haneul the Shy")
        _ = await shy.patch("\(room.path)/members/me", ["visibility": "hidden"])
        let other = try await room.join("Other")
        #expect(await found("q=shy", other) == [])
        #expect(await found("q=shy", room.owner) == ["Haneul the Shy"])
    }

    @Test func `who hides is listed to themselves and to admins only`() async throws {
        let room = try await Room()
        let shy = try await room.join("Haneul")
        let other = try await room.join("Minseo")
        let chosen = await shy.patch("\(room.path)/members/me", ["visibility": "hidden"])
        #expect(chosen.status == .ok)
        #expect(chosen.json["visibility"] == "hidden")
        func sees(_ person: Person) async -> Int? {
            await person.get("\(room.path)/members").json["items"].array?.count
        }
        #expect(await sees(other) == 2)
        #expect(await sees(shy) == 3)
        #expect(await sees(room.owner) == 3)
        #expect(await shy.patch("\(room.path)/members/me", ["visibility": "ghost"]).code == "invalid_visibility")
    }

    @Test func `leaving is free, and coming back needs another invitation`() async throws {
        let room = try await Room()
        let member = try await room.join("Haneul")
        try await TestDatabase.current.advance(60)
        #expect(await member.delete("\(room.path)/members/\(member.id)").status == .noContent)
        #expect(await member.get(room.path).status == .notFound)
        #expect(await member.delete("\(room.path)/members/\(member.id)").status == .notFound)
        let latest = await room.owner.get("\(room.path)/audit").json["items"][0]
        #expect(latest["kind"] == "member_left")
        #expect(latest["actor"]["uid"].string == member.id)
        #expect(await member.post("/invitations/\(await room.code())/acceptances").status == .created)
    }

    @Test func `who joins and leaves within one second is out`() async throws {
        let room = try await Room()
        let member = try await room.join("Haneul")
        #expect(await member.delete("\(room.path)/members/\(member.id)").status == .noContent)
        #expect(await room.owner.get(room.path).json["member_count"] == 1)
    }

    @Test func `the last owner stays until there is another`() async throws {
        let room = try await Room()
        let heir = try await room.join("Haneul")
        let mine = "\(room.path)/members/\(room.owner.id)"
        let stuck = await room.owner.delete(mine)
        #expect(stuck.status == .conflict)
        #expect(stuck.code == "last_owner")
        #expect(await room.owner.patch(mine, ["role": "member"]).code == "last_owner")
        let raised = await room.owner.patch("\(room.path)/members/\(heir.id)", ["role": "owner"])
        #expect(raised.json["role"] == "owner")
        #expect(await room.owner.delete(mine).status == .noContent)
        #expect(await heir.delete("\(room.path)/members/\(heir.id)").code == "last_owner")
    }

    @Test func `of two owners who leave at once one stays`() async throws {
        let room = try await Room()
        let second = try await room.join("Haneul", as: "owner")
        let answers = await withTaskGroup { group in
            for owner in [room.owner, second] {
                group.addTask { await owner.delete("\(room.path)/members/\(owner.id)") }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == .noContent }.count == 1)
        #expect(answers.filter { $0.code == "last_owner" }.count == 1)
    }

    @Test func `an admin removes members, and only an owner removes an admin`() async throws {
        let room = try await Room()
        let admin = try await room.join("Haneul", as: "admin")
        let other = try await room.join("Minseo", as: "admin")
        let member = try await room.join("Jun")
        let path = "\(room.path)/members"
        #expect(await admin.delete("\(path)/\(member.id)").status == .noContent)
        for target in [other, room.owner] {
            let refused = await admin.delete("\(path)/\(target.id)")
            #expect(refused.status == .forbidden)
            #expect(refused.code == "not_allowed")
        }
        #expect(await room.owner.delete("\(path)/\(other.id)").status == .noContent)
        #expect(await room.owner.delete("\(path)/\(member.id)").status == .notFound)
    }

    @Test func `who is banned cannot come back, who was only removed can`() async throws {
        let room = try await Room()
        let banned = try await room.join("Haneul")
        let removed = try await room.join("Minseo")
        #expect(await room.owner.delete("\(room.path)/members/\(banned.id)?ban=true").status == .noContent)
        #expect(await room.owner.delete("\(room.path)/members/\(removed.id)?ban=false").status == .noContent)
        let code = await room.code()
        let refused = await banned.post("/invitations/\(code)/acceptances")
        #expect(refused.status == .forbidden)
        #expect(refused.code == "banned")
        #expect(await removed.post("/invitations/\(code)/acceptances").status == .created)
        #expect(await room.owner.delete("\(room.path)/members/\(removed.id)?ban=maybe").code == "invalid_query")
    }

    @Test func `whose ban is lifted may come back`() async throws {
        let room = try await Room()
        let admin = try await room.join("Haneul", as: "admin")
        let banned = try await room.join("Minseo")
        #expect(await room.owner.get("\(room.path)/bans").json == ["items": [], "next": nil])
        try await TestDatabase.current.advance(60)
        _ = await admin.delete("\(room.path)/members/\(banned.id)?ban=true")
        #expect(
            await room.owner.get("\(room.path)/bans").json["items"] == [
                [
                    "uid": .string(banned.id), "nickname": "Minseo", "banned_by": .string(admin.id),
                    "banned_at": "2026-11-21T03:01:00Z",
                ]
            ])
        #expect(await admin.delete("\(room.path)/bans/\(banned.id)").status == .noContent)
        #expect(await admin.delete("\(room.path)/bans/\(banned.id)").status == .notFound)
        #expect(await banned.post("/invitations/\(await room.code())/acceptances").status == .created)
    }

    @Test func `bans are listed page after page`() async throws {
        let room = try await Room()
        var uids: [String] = []
        for name in ["Haneul", "Minseo", "Jun"] {
            let person = try await room.join(name)
            try await TestDatabase.current.advance(1)
            _ = await room.owner.delete("\(room.path)/members/\(person.id)?ban=true")
            uids.insert(person.id, at: 0)
        }
        let first = await room.owner.get("\(room.path)/bans?limit=2").json
        let rest = await room.owner.get("\(room.path)/bans?after=\(first["next"].string ?? "-")").json
        let listed = ((first["items"].array ?? []) + (rest["items"].array ?? [])).compactMap(\.["uid"].string)
        #expect(listed == uids)
        #expect(rest["next"].isNull)
    }

    @Test func `handing a group on makes the heir its owner and the giver an admin`() async throws {
        let room = try await Room()
        let heir = try await room.join("Haneul")
        let stranger = try await Person("Minseo", groups())
        let path = "\(room.path)/transfer"
        let refused = await room.owner.post(path, ["uid": .string(room.owner.id)])
        #expect(refused.status == .conflict)
        #expect(refused.code == "already_owner")
        #expect(await room.owner.post(path, ["uid": .string(stranger.id)]).status == .notFound)
        #expect(await room.owner.get(room.path).json["my_role"] == "owner")
        let given = await room.owner.post(path, ["uid": .string(heir.id)])
        #expect(given.status == .ok)
        #expect(given.json["my_role"] == "admin")
        #expect(await heir.get(room.path).json["my_role"] == "owner")
        #expect(await room.owner.post(path, ["uid": .string(heir.id)]).status == .forbidden)
        #expect(await room.owner.delete("\(room.path)/members/me").status == .noContent)
    }

    @Test func `a role is one of three, of somebody who is there`() async throws {
        let room = try await Room()
        let member = try await room.join("Haneul")
        let stranger = try await Person("Minseo", groups())
        let path = "\(room.path)/members"
        #expect(await room.owner.patch("\(path)/\(member.id)", ["role": "king"]).code == "invalid_role")
        #expect(await room.owner.patch("\(path)/\(stranger.id)", ["role": "admin"]).status == .notFound)
    }
}
