import HTTP
import Postgres
import TestSupport
import Testing

@Suite(.database) struct OversightTests {
    private var database: Database { TestDatabase.current.database }

    @Test func `people are found by their UID, their address, or how their nickname begins`() async throws {
        let admin = try await Person.siteAdmin()
        let person = try await Person("Haneul 100%", service())
        try await person.keepAddress("haneul@ants.example")
        _ = try await Person("Minseo", service())
        let found = await admin.get("/admin/people?q=\(person.id)").json["items"]
        #expect(found.array?.count == 1)
        #expect(found[0]["email"] == "haneul@ants.example")
        #expect(found[0]["site_admin"] == false)
        for sought in ["haneul@ANTS.example", "hAn", "%20haneul%20100%25"] {
            #expect(await admin.get("/admin/people?q=\(sought)").json["items"] == found, "\(sought)")
        }
        for sought in ["anneul", "%25", "_", "nobody@ants.example", "00000000-0000-0000-0000-000000000001"] {
            #expect(await admin.get("/admin/people?q=\(sought)").json["items"] == [], "\(sought)")
        }
        #expect(await admin.get("/admin/people").json["items"].array?.count == 3)
        #expect(await admin.get("/admin/people?q=Warden").json["items"][0]["site_admin"] == true)
    }

    @Test func `somebody is let in by the mail that they could have asked for`() async throws {
        let admin = try await Person.siteAdmin()
        let person = try await Person("Haneul", service())
        try await person.keepAddress("haneul@ants.example")
        let reset = await admin.post("/admin/links", ["email": "haneul@ants.example"])
        #expect(reset.json == ["kind": "password_reset", "url": nil, "expires_in_seconds": nil])
        let registration = await admin.post("/admin/links", ["email": "new@ants.example"])
        #expect(registration.json["kind"] == "registration")
        let mails = await admin.get("/admin/mails").json["items"].array ?? []
        #expect(Set(mails.compactMap(\.["kind"].string)) == ["password_reset", "registration"])
        #expect(
            try await database.read("SELECT FROM audit_events WHERE kind = 'link_made' AND actor = \(admin.uid)").count
                == 2)
        #expect(await admin.post("/admin/links", ["email": "nobody"]).code == "invalid_email")
        _ = try await database.write("UPDATE users SET status = 'suspended' WHERE uid = \(person.uid)")
        #expect(await admin.post("/admin/links", ["email": "haneul@ants.example"]).code == "may_not_sign_in")
    }

    @Test func `a service without mail answers the link, which is kept nowhere`() async throws {
        let admin = try await Person.siteAdmin("Warden", service(sendsMail: false))
        let made = await admin.post("/admin/links", ["email": "new@ants.example"])
        #expect(made.json["kind"] == "registration")
        #expect(made.json["url"].string?.hasPrefix("https://anthill.example/welcome#") == true)
        #expect(made.json["expires_in_seconds"] == 86400)
        #expect(made.headers["Cache-Control"] == "no-store")
        #expect(try await database.read("SELECT FROM mail_outbox").isEmpty)
        let token = made.json["url"].string?.split(separator: "#").last.map(String.init) ?? "-"
        #expect(
            try await database.read("SELECT FROM audit_events WHERE details::text LIKE '%' || \(token) || '%'").isEmpty)
    }

    @Test func `the mail queue tells what waits, failed and was sent, without addresses, and sends one again`()
        async throws
    {
        let admin = try await Person.siteAdmin()
        _ = try await database.write(
            """
            INSERT INTO mail_outbox (kind, to_address, parameters, attempts, created_at, sent_at, dead_at, last_error) VALUES
              ('waits', 'a@ants.example', '{"uid": "x"}', 1, anthill_clock(), NULL, NULL, 'a@ants.example: try later'),
              ('failed', 'b@ants.example', '{}', 8, anthill_clock() - interval '1 s', NULL, anthill_clock(), '550'),
              ('sent', 'c@ants.example', '{}', 1, anthill_clock() - interval '2 s', anthill_clock(), NULL, NULL)
            """)
        let all = await admin.get("/admin/mails").json["items"]
        #expect(all.array?.compactMap(\.["state"].string) == ["waiting", "failed", "sent"])
        #expect(all[0]["last_error"] == "…: try later")
        #expect(all[1]["attempts"] == 8)
        #expect(!String(decoding: await admin.get("/admin/mails").body, as: UTF8.self).contains("ants.example"))
        #expect(await admin.get("/admin/mails?state=failed").json["items"].array?.count == 1)
        #expect(await admin.get("/admin/mails?kind=sent").json["items"].array?.count == 1)
        #expect(await admin.get("/admin/mails?state=lost").code == "invalid_query")

        let failed = all[1]["id"].string ?? "-"
        #expect(await admin.post("/admin/mails/\(failed)/attempts").status == .noContent)
        let again = await admin.get("/admin/mails?kind=failed").json["items"][0]
        #expect(again["state"] == "waiting")
        #expect(again["due"] == "2026-11-21T03:00:00Z")
        #expect(again["attempts"] == 0)
        #expect(await admin.post("/admin/mails/\(all[2]["id"].string ?? "-")/attempts").code == "mail_sent")
        #expect(try await database.read("SELECT FROM audit_events WHERE kind = 'mail_sent_again'").count == 1)
    }

    @Test func `the audit is filtered by kind, person and group, and paged`() async throws {
        let admin = try await Person.siteAdmin()
        let owner = try await Person("Dodam", service())
        let group = await owner.post("/groups", ["name": "Room"]).json["id"].string ?? "-"
        for _ in 1...5 { _ = await owner.post("/groups/\(group)/invitations") }
        func kinds(_ query: String) async -> [String] {
            await admin.get("/admin/audit?\(query)").json["items"].array?.compactMap(\.["kind"].string) ?? []
        }
        let five = Array(repeating: "invitation_created", count: 5)
        #expect(await kinds("") == five + ["site_admin_made"])
        #expect(await kinds("kind=site_admin_made") == ["site_admin_made"])
        #expect(await kinds("uid=\(owner.id)") == five)
        #expect(await kinds("uid=\(admin.id)") == ["site_admin_made"])
        #expect(await kinds("group_id=\(group)") == five)
        #expect(await kinds("kind=site_admin_made&group_id=\(group)") == [])
        var (walked, next) = ([String](), "")
        repeat {
            let page = await admin.get("/admin/audit?limit=2\(next)").json
            walked += page["items"].array?.compactMap(\.["kind"].string) ?? []
            next = page["next"].string.map { "&after=\($0)" } ?? ""
        } while !next.isEmpty
        #expect(walked == five + ["site_admin_made"])
        #expect(await admin.get("/admin/audit?uid=me").code == "invalid_query")
    }

    @Test func `the figures count people, groups, sessions, mails, reports and suspensions`() async throws {
        let admin = try await Person.siteAdmin()
        let person = try await Person.onBoard("Haneul", seconds: 3600)
        _ = await person.post("/me/timer/start", [:])
        _ = await person.post("/groups", ["name": "Room"])
        _ = await admin.post("/reports", ["uid": .string(person.id), "reason": "Never sleeps"])
        _ = await admin.post("/admin/links", ["email": "new@ants.example"])
        let before = await admin.get("/admin/figures").json
        #expect(
            before == [
                "as_of": "2026-11-21T04:00:00Z", "users": 2, "users_new_today": 2, "users_active_today": 2,
                "users_on_global_board": 1, "groups": 1, "sessions_today": 2, "timers_running": 1, "mails_waiting": 1,
                "mails_failed": 0, "oldest_mail_due": "2026-11-21T04:00:00Z", "reports_open": 1,
                "suspensions_in_force": 0,
            ])
        let until: JSON = "2026-11-28T20:00:00Z"
        _ = await admin.post("/admin/suspensions", ["uid": .string(person.id), "reason": "x", "until": until])
        let after = await admin.get("/admin/figures").json
        #expect(after["suspensions_in_force"] == 1)
        #expect(after["users_on_global_board"] == 0)
        #expect(await admin.get("/admin/people?q=Haneul").json["items"][0]["suspended_until"] == until)
    }
}
