import Foundation
import HTTP
import TestSupport
import Testing

@Suite(.database) struct GroupTests {
    @Test func `a new group has its owner and the owner's study clock`() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let owner = try await Person("Dodam", groups(), timeZone: "Europe/London")
        let made = await owner.post("/groups", ["name": "  Grad Exam Room ", "description": "We meet at five."])
        #expect(made.status == .created)
        #expect(made.json["name"] == "Grad Exam Room")
        #expect(made.json["description"] == "We meet at five.")
        #expect(
            made.json["rules"] == [
                "time_zone": "Europe/London", "day_starts_at": "05:00", "daily_cap_seconds": 57_600,
                "manual_counts": true,
            ])
        #expect(made.json["member_count"] == 1)
        #expect(made.json["my_role"] == "owner")
        #expect(made.json["my_visibility"] == "shown")
        #expect(made.json["next_rules"].isNull)
        #expect(made.json["created_at"] == "2026-11-21T03:00:00Z")
        let location = try #require(made.headers["Location"])
        #expect(location == "/api/v1/groups/\(made.json["id"].string ?? "-")")
        #expect(await owner.get(String(location.dropFirst("/api/v1".count))).json == made.json)
    }

    @Test func `a group may have rules of its own from the start`() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let owner = try await Person("Dodam", groups())
        let rules: JSON = [
            "time_zone": "Asia/Kathmandu", "day_starts_at": "04:30", "daily_cap_seconds": 36_000,
            "manual_counts": false,
        ]
        #expect(await owner.post("/groups", ["name": "Room", "rules": rules]).json["rules"] == rules)
    }

    @Test(
        arguments: [
            (["name": ""], 422, "invalid_name", "name"), (["name": "a\u{202E}b"], 422, "invalid_name", "name"),
            ([:], 400, "missing_field", "name"), (["name": 7], 400, "wrong_type", "name"),
            (["name": "Room", "picture": "x"], 400, "unknown_field", "picture"),
            (["name": "Room", "colour": "red"], 422, "invalid_colour", "colour"),
            (["name": "Room", "emoji": "ab"], 422, "invalid_emoji", "emoji"),
            (["name": "Room", "emoji": "🐜🐜"], 422, "invalid_emoji", "emoji"),
            (["name": "Room", "month_goal_seconds": 59], 422, "invalid_month_goal", "month_goal_seconds"),
            (["name": "Room", "month_goal_seconds": 13_392_000_001], 422, "invalid_month_goal", "month_goal_seconds"),
            (["name": "Room", "badge_allowed": "yes"], 400, "wrong_type", "badge_allowed"),
            (["name": "Room", "duel": 1], 400, "wrong_type", "duel"),
            (["name": "Room", "description": "\u{7}"], 422, "invalid_description", "description"),
            (["name": "Room", "rules": ["time_zone": "FOO5"]], 422, "unknown_time_zone", "rules.time_zone"),
            (["name": "Room", "rules": ["day_starts_at": "12:00"]], 422, "invalid_day_start", "rules.day_starts_at"),
            (["name": "Room", "rules": ["day_starts_at": "5 am"]], 422, "invalid_day_start", "rules.day_starts_at"),
            (["name": "Room", "rules": ["daily_cap_seconds": 0]], 422, "invalid_daily_cap", "rules.daily_cap_seconds"),
            (
                ["name": "Room", "rules": ["daily_cap_seconds": 86_401]], 422, "invalid_daily_cap",
                "rules.daily_cap_seconds"
            ),
            (["name": "Room", "rules": ["cap": 1]], 400, "unknown_field", "rules.cap"),
        ] as [(JSON, Int, String, String)])
    func `what a group cannot be is refused by field`(
        body: JSON, status: Int, code: String, field: String
    ) async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let owner = try await Person("Dodam", groups())
        let answer = await owner.post("/groups", body)
        #expect(answer.status.code == status)
        #expect(answer.code == code)
        #expect(answer.json["field"].string == field)
        #expect(await owner.get("/groups").json == ["items": [], "next": nil])
    }

    @Test func `one is in at most 20 groups, listed page after page`() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let owner = try await Person("Dodam", groups())
        var made: [JSON] = []
        for number in 1...20 { made.append(await owner.post("/groups", ["name": "Room \(number)"]).json["id"]) }
        let surplus = await owner.post("/groups", ["name": "One more"])
        #expect(surplus.status == .conflict)
        #expect(surplus.code == "too_many_groups")
        var listed: [JSON] = []
        var next: String? = ""
        while let cursor = next {
            let page = await owner.get("/groups?limit=7\(cursor.isEmpty ? "" : "&after=\(cursor)")").json
            listed += page["items"].array?.map(\.["id"]) ?? []
            next = page["next"].string
        }
        #expect(listed.count == 20)
        #expect(Set(listed) == Set(made))
    }

    @Test func `admins change name and description at once`() async throws {
        let room = try await Room()
        let admin = try await room.join("Haneul", as: "admin")
        let changed = await admin.patch(room.path, ["name": "Dawn Room", "description": "05:00"])
        #expect(changed.status == .ok)
        #expect(changed.json["name"] == "Dawn Room")
        #expect(await room.owner.patch(room.path, ["description": ""]).json["description"] == "")
        #expect(await room.owner.get(room.path).json["name"] == "Dawn Room")
    }

    @Test func `of two changes at once neither is lost`() async throws {
        let room = try await Room()
        for round in 1...8 {
            let (name, goal): (JSON, JSON) = (.string("Room \(round)"), .integer(3600 * round))
            async let first = room.owner.patch(room.path, ["name": name, "badge_allowed": .bool(round % 2 == 0)])
            async let second = room.owner.patch(room.path, ["month_goal_seconds": goal])
            #expect(await [first.status, second.status] == [.ok, .ok])
            let now = await room.owner.get(room.path).json
            #expect(now["name"] == name)
            #expect(now["badge_allowed"] == .bool(round % 2 == 0))
            #expect(now["month_goal"]["seconds"] == goal)
        }
    }

    @Test func `a new name is in the audit with the old one, and nothing else that a group shows`() async throws {
        let room = try await Room()
        let admin = try await room.join("Haneul", as: "admin")
        _ = await admin.patch(room.path, ["name": "Dawn Room", "colour": "plum"])
        _ = await admin.patch(room.path, ["name": "Dawn Room", "emoji": "🐜"])
        let events = await room.owner.get("\(room.path)/audit").json["items"].array ?? []
        let renamed = events.filter { $0["kind"] == "group_renamed" }
        #expect(renamed.count == 1)
        #expect(renamed.first?["actor"]["uid"].string == admin.id)
        #expect(renamed.first?["details"] == ["old_name": "Grad Exam Room", "new_name": "Dawn Room"])
    }

    @Test func `admins make final months public, and the audit keeps when`() async throws {
        let room = try await Room()
        #expect(await room.owner.get(room.path).json["months_public"] == false)
        let (admin, member) = (try await room.join("Haneul", as: "admin"), try await room.join("Sora"))
        #expect(await member.patch(room.path, ["months_public": true]).status == .forbidden)
        #expect(await admin.patch(room.path, ["months_public": true]).json["months_public"] == true)
        #expect(await admin.patch(room.path, ["months_public": true, "colour": "plum"]).json["months_public"] == true)
        #expect(await room.owner.patch(room.path, ["months_public": false]).json["months_public"] == false)
        let events = await room.owner.get("\(room.path)/audit").json["items"].array ?? []
        let told = events.filter { $0["kind"].string?.hasPrefix("months_") == true }
        #expect(told.map { $0["kind"] } == ["months_unpublished", "months_published"])
        #expect(told.last?["actor"]["uid"].string == admin.id)
    }

    @Test func `admins make the board public, and the audit keeps when`() async throws {
        let room = try await Room()
        #expect(await room.owner.get(room.path).json["board_public"] == false)
        let (admin, member) = (try await room.join("Haneul", as: "admin"), try await room.join("Sora"))
        #expect(await member.patch(room.path, ["board_public": true]).status == .forbidden)
        #expect(await admin.patch(room.path, ["board_public": true]).json["board_public"] == true)
        #expect(await member.get(room.path).json["board_public"] == true)
        #expect(await room.owner.patch(room.path, ["board_public": false]).json["board_public"] == false)
        let events = await room.owner.get("\(room.path)/audit").json["items"].array ?? []
        let told = events.filter { $0["kind"].string?.hasPrefix("board_") == true }
        #expect(told.map { $0["kind"] } == ["board_unpublished", "board_published"])
        #expect(told.last?["actor"]["uid"].string == admin.id)
    }

    @Test func `a group has a colour, an emoji, a goal for the month, and may show itself to others`() async throws {
        let room = try await Room()
        let plain = await room.owner.get(room.path).json
        #expect(plain["colour"] == "leaf")
        #expect(plain["emoji"].isNull && plain["month_goal"].isNull)
        #expect(plain["badge_allowed"] == false && plain["duel"] == false)
        let admin = try await room.join("Haneul", as: "admin")
        let look: JSON = [
            "colour": "plum", "emoji": "🐜", "month_goal_seconds": 720_000, "badge_allowed": true, "duel": true,
        ]
        let changed = await admin.patch(room.path, look).json
        #expect(changed["colour"] == "plum" && changed["emoji"] == "🐜")
        #expect(changed["month_goal"] == ["seconds": 720_000, "reached_seconds": 0])
        #expect(changed["badge_allowed"] == true && changed["duel"] == true)
        let renamed = await admin.patch(room.path, ["name": "Dawn Room", "colour": nil, "duel": nil]).json
        #expect(renamed["emoji"] == "🐜" && renamed["colour"] == "plum" && renamed["duel"] == true)
        let bare = await admin.patch(room.path, ["emoji": nil, "month_goal_seconds": nil]).json
        #expect(bare["emoji"].isNull && bare["month_goal"].isNull)

        let another: JSON = [
            "name": "Another", "colour": "plum", "emoji": "🌱", "month_goal_seconds": 720_000, "badge_allowed": true,
        ]
        let founded = await room.owner.post("/groups", another).json
        #expect(founded["colour"] == "plum" && founded["emoji"] == "🌱" && founded["duel"] == false)
        #expect(founded["month_goal"]["seconds"] == 720_000)
        #expect(founded["badge_allowed"] == true)
        let preview = await groups().get("/api/v1/invitations/\(await room.code())").json["group"]
        #expect(preview["colour"] == "plum" && preview["emoji"].isNull)
    }

    @Test func `the goal of a month is reached by what its members have studied in it`()
        async throws
    {
        let room = try await Room()
        _ = await room.owner.patch(room.path, ["month_goal_seconds": 7200])
        let shy = try await room.join("Haneul")
        let gone = try await room.join("Minseo")
        for (person, start, end) in [
            (room.owner, "2026-11-20T20:00:00Z", "2026-11-20T20:30:00Z"),
            (shy, "2026-11-20T20:00:00Z", "2026-11-20T20:10:00Z"),
            (gone, "2026-11-20T20:00:00Z", "2026-11-20T21:00:00Z"),
        ] {
            try await TestDatabase.current.sql(
                "SELECT record_session('\(person.id)', gen_random_uuid(), '{\(start)}', '{\(end)}', 'manual')")
        }
        func hide(_ person: Person, _ isHidden: Bool = true) async {
            _ = await person.patch("\(room.path)/members/me", ["visibility": isHidden ? "hidden" : "shown"])
        }
        func reached() async -> Int? { await room.owner.get(room.path).json["month_goal"]["reached_seconds"].int }
        #expect(await reached() == 6000)
        await hide(shy)
        #expect(await reached() == 5400)
        await hide(gone)
        #expect(await reached() == 1800)
        await hide(room.owner)
        #expect(await reached() == 0)
        for person in [room.owner, shy, gone] { await hide(person, false) }
        try await TestDatabase.current.advance(1)
        _ = await gone.delete("\(room.path)/members/me")
        #expect(await reached() == 2400)
        // A timer counts while it runs, what of it lies in the month and under the cap of each day.
        try await TestDatabase.current.setClock("2026-11-21T19:30:00Z")
        try await TestDatabase.current.sql("SELECT start_timer('\(shy.id)')")
        try await TestDatabase.current.advance(600)
        #expect(await reached() == 3000)
        try await TestDatabase.current.advance(3600)
        #expect(await reached() == 6600)
        try await TestDatabase.current.sql("SELECT stop_timer('\(shy.id)')")
        #expect(await reached() == 6600)
        try await TestDatabase.current.setClock("2026-11-30T19:50:00Z")
        try await TestDatabase.current.sql("SELECT start_timer('\(shy.id)')")
        try await TestDatabase.current.setClock("2026-11-30T19:59:59Z")
        #expect(await reached() == 7199)
        try await TestDatabase.current.setClock("2026-11-30T20:00:00Z")
        #expect(await reached() == 0)
    }

    @Test func `new rules take effect next month`() async throws {
        let room = try await Room()
        let changed = await room.owner.patch(room.path, ["rules": ["daily_cap_seconds": 36_000]])
        #expect(changed.json["rules"]["daily_cap_seconds"] == 57_600)
        #expect(changed.json["next_rules"]["from_month"] == "2026-12")
        #expect(changed.json["next_rules"]["daily_cap_seconds"] == 36_000)
        #expect(changed.json["next_rules"]["time_zone"] == "Asia/Seoul")
        try await TestDatabase.current.setClock("2026-11-30T19:59:59Z")
        #expect(await room.owner.get(room.path).json["rules"]["daily_cap_seconds"] == 57_600)
        try await TestDatabase.current.setClock("2026-11-30T20:00:00Z")
        let after = await room.owner.get(room.path).json
        #expect(after["rules"]["daily_cap_seconds"] == 36_000)
        #expect(after["next_rules"].isNull)
    }

    @Test(arguments: [("2026-11-28T20:00:00Z", "2026-12"), ("2026-11-28T20:00:01Z", "2027-01")])
    func `declared less than 48 h before the month ends, rules begin with the one after`(
        time: String, month: String
    ) async throws {
        let room = try await Room(at: time)
        let changed = await room.owner.patch(room.path, ["rules": ["manual_counts": false]])
        #expect(changed.json["next_rules"]["from_month"].string == month)
    }

    @Test func `a change is made whole or not at all`() async throws {
        let room = try await Room()
        let answer = await room.owner.patch(room.path, ["name": "Other", "rules": ["time_zone": "Mars/Olympus"]])
        #expect(answer.code == "unknown_time_zone")
        #expect(await room.owner.get(room.path).json["name"] == "Grad Exam Room")
    }

    @Test func `a deleted group is gone for everybody`() async throws {
        let room = try await Room()
        let member = try await room.join("Haneul")
        let code = await room.code()
        #expect(await room.owner.delete(room.path).status == .noContent)
        for person in [room.owner, member] {
            #expect(await person.get(room.path).status == .notFound)
            #expect(await person.get("/groups").json["items"] == [])
        }
        #expect(await member.get("/invitations/\(code)").status == .notFound)
        #expect(await room.owner.delete(room.path).status == .notFound)
    }

    @Test func `founding under an Idempotency-Key founds once`() async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let owner = try await Person("Dodam", groups())
        let key: Headers = ["Idempotency-Key": UUID().uuidString]
        let first = await owner.post("/groups", ["name": "Room"], headers: key)
        let again = await owner.post("/groups", ["name": "Room"], headers: key)
        #expect(again.body == first.body)
        #expect(await owner.get("/groups").json["items"].array?.count == 1)
    }
}
