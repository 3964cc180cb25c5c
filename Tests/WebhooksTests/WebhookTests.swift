import API
import Accounts
import Groups
import HTTP
import Outgoing
import Postgres
import TestSupport
import Testing
import Time

@testable import Webhooks

@Suite(.database) struct WebhookTests {
    private static let path = "/api/v1/groups/{id}/webhooks"

    private func routes() -> [Endpoint] {
        let store = WebhookStore(
            database: TestDatabase.current.service, secrets: WebhookSecrets(secret: Person.secret))
        let web = WebClient(threads: 1, source: .anybody(orThisMachine: false))
        return WebhookRoutes(gate: Person.gate(), store: store, web: web).routes
    }

    private func client() -> Client {
        let groups = GroupsFeature(
            database: TestDatabase.current.service, gate: Person.gate(), baseURL: "http://localhost:8080")
        return Client(Router((routes() + groups.routes).map(\.route)))
    }

    private let wanted: JSON = [
        "url": "https://hooks.example.org/secret-part", "kind": "json", "events": ["new_member", "month_closed"],
        "locale": "ko",
    ]

    @Test func `the database knows each failure`() async throws {
        let known = try await TestDatabase.current.service.read(
            """
            SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'webhook_deliveries_failure'
            """
        ).decode(String.self)
        let codes = try #require(known.first).matches(of: #/'(\w+)'/#).map { String($0.1) }
        #expect(codes == WebhookFailure.allCases.map(\.rawValue))
    }

    @Test func `every route is open to whom the table says`() {
        let table: [String: Access] = [
            "GET \(Self.path)": .admin, "POST \(Self.path)": .admin, "PATCH \(Self.path)/{webhook}": .admin,
            "DELETE \(Self.path)/{webhook}": .admin, "POST \(Self.path)/{webhook}/tests": .admin,
            "GET \(Self.path)/{webhook}/deliveries": .admin,
        ]
        let routes = routes().map { ("\($0.route.method.rawValue) \($0.route.pattern)", $0.access) }
        #expect(Dictionary(uniqueKeysWithValues: routes) == table)
    }

    @Test func `webhooks are for admins of the group, and for nobody else`() async throws {
        let client = client()
        let owner = try await Person("Owner", client)
        let (member, stranger) = (try await Person("Member", client), try await Person("Stranger", client))
        let group = try #require(await owner.post("/groups", ["name": "Owls"]).json["id"].string)
        let code = try #require(await owner.post("/groups/\(group)/invitations").json["code"].string)
        #expect(await member.post("/invitations/\(code)/acceptances").status == .created)
        let made = await owner.post("/groups/\(group)/webhooks", wanted)
        #expect(made.status == .created)
        let webhook = try #require(made.json["id"].string)
        for endpoint in routes() {
            let route = endpoint.route
            let target = route.pattern.replacing("{id}", with: group).replacing("{webhook}", with: webhook)
            let sendsNothing = [.get, .delete].contains(route.method)
            let body: JSON? = sendsNothing ? nil : route.pattern == Self.path ? wanted : [:]
            let refused = await client.send(route.method, target, json: body, bearer: member.token)
            #expect(refused.code == "not_allowed", "\(route.pattern)")
            let hidden = await client.send(route.method, target, json: body, bearer: stranger.token)
            #expect(hidden.status == .notFound, "\(route.pattern)")
        }
        #expect(await owner.get("/groups/\(group)/webhooks").json["items"].array?.count == 1)
    }

    @Test func `a webhook is added with a secret, listed without, changed, turned off and removed`() async throws {
        let owner = try await Person("Owner", client())
        let group = try #require(await owner.post("/groups", ["name": "Owls"]).json["id"].string)
        let path = "/groups/\(group)/webhooks"
        let made = await owner.post(path, wanted)
        #expect(made.json["secret"].string?.hasPrefix("whsec_") == true)
        #expect(made.headers["Cache-Control"] == "no-store")
        let one = "\(path)/\(try #require(made.json["id"].string))"
        let listed = { await owner.get(path).json["items"][0] }
        #expect(await listed()["host"] == "hooks.example.org")
        #expect(await listed()["events"] == ["month_closed", "new_member"])
        #expect(await !String(decoding: owner.get(path).body, as: UTF8.self).contains("secret-part"))

        #expect(await owner.patch(one, ["events": ["weekly_standing"], "active": false]).status == .noContent)
        #expect(await listed()["events"] == ["weekly_standing"])
        #expect(await listed()["off_because"] == "admin")
        #expect(await owner.patch(one, ["active": true]).status == .noContent)
        #expect(await listed()["off_because"].isNull)
        #expect(await owner.post("\(one)/tests").status == .accepted)
        #expect(await owner.post("\(one)/tests").code == "webhook_just_tested")
        #expect(await owner.get("\(one)/deliveries").json["items"][0]["state"] == "waiting")
        #expect(await owner.delete(one).status == .noContent)
        #expect(await owner.delete(one).status == .notFound)

        let slack: JSON = ["url": "https://hooks.example.org/x", "kind": "slack", "events": ["new_member"]]
        #expect(await !owner.post(path, slack).json.names.contains("secret"))
        let log = try await TestDatabase.current.database.read(
            "SELECT kind FROM audit_events WHERE kind LIKE 'webhook%' ORDER BY id"
        ).decode(String.self)
        #expect(
            log == ["webhook_added", "webhook_changed", "webhook_changed", "webhook_removed", "webhook_added"])
    }

    @Test func `what a webhook is made of is checked, and so is how many there are`() async throws {
        let owner = try await Person("Owner", client())
        let group = try #require(await owner.post("/groups", ["name": "Owls"]).json["id"].string)
        let add = { (name: String, value: JSON) -> Answer in
            guard case .object(var body) = wanted else { preconditionFailure("it is an object") }
            body[name] = value
            return await owner.post("/groups/\(group)/webhooks", .object(body))
        }
        for url in [
            "http://hooks.example.org/", "https://user@hooks.example.org/", "hooks", "https://10.0.0.8/",
            "https://[::1]/", "https://127.0.0.1/", "ftp://hooks.example.org/",
        ] {
            #expect(await add("url", .string(url)).code == "invalid_webhook_url", "\(url)")
        }
        #expect(await add("kind", "teams").code == "unknown_webhook_kind")
        for events: JSON in [[], ["everything"], ["new_member", "everything"]] {
            #expect(await add("events", events).code == "unknown_webhook_events")
        }
        #expect(await add("locale", "fr").code == "unknown_locale")
        for _ in 0..<RuleNumber.mostWebhooks.value { #expect(await add("kind", "json").status == .created) }
        #expect(await add("kind", "json").code == "too_many_webhooks")
    }

    @Test func `addresses are encrypted, and only the service's secret opens them`() throws {
        let secrets = WebhookSecrets(secret: Person.secret)
        let sealed = secrets.seal("https://hooks.example.org/secret-part")
        #expect(secrets.open(sealed) == "https://hooks.example.org/secret-part")
        #expect(secrets.seal("https://hooks.example.org/secret-part") != sealed)
        var changed = sealed
        changed[30] ^= 1
        #expect(secrets.open(changed) == nil)
        #expect(secrets.open([1, 2, 3]) == nil)
        #expect(WebhookSecrets(secret: Secret("another secret for the tests, 32")).open(sealed) == nil)
    }

    @Test func `names mean nothing to a channel but themselves`() throws {
        let data = """
            {"group":{"id":"g","name":"A_*b*"},"week":"2026-11-16","participants":3,"entries":[
              {"rank":1,"hidden":false,"nickname":"<!channel> @everyone","seconds":5400},
              {"rank":2,"hidden":true,"nickname":null,"seconds":null},
              {"rank":3,"hidden":false,"nickname":null,"seconds":60}]}
            """
        let delivery = WaitingDelivery(
            group: ID(), webhook: ID(), id: ID(), event: "weekly_standing", kind: .discord, language: .en,
            sealedAddress: [], data: data, createdAt: Instant(secondsSince1970: 0), attempt: 1,
            now: Instant(secondsSince1970: 0))
        let message = try WebhookMessage(delivery, baseURL: "https://anthill.example.org")
        let discord = try #require(JSON(text: message.bytes(for: .discord, in: .en)))
        #expect(discord["allowed_mentions"] == ["parse": []])
        let lines = discord["content"].string?.split(separator: "\n") ?? []
        #expect(lines[0] == #"**A\_\*b\*: the week from 2026-11-16**"#)
        #expect(lines[1] == #"1. \<!channel\> \@everyone, 1 h 30 min"#)
        #expect(lines[2] == "2. someone")
        #expect(lines[3] == "3. someone who left, 1 min")
        #expect(lines[4] == "https://anthill.example.org/groups/g?period=week&at=2026-11-16")
        let slack = try #require(JSON(text: message.bytes(for: .slack, in: .ko)))
        #expect(slack["text"].string?.contains("&lt;!channel&gt; @everyone, 1시간 30분") == true)
        #expect(slack["unfurl_links"] == false && slack["unfurl_media"] == false)
    }

    @Test func `what a receiver says is one short line`() {
        #expect(WebhookWorker.words(of: Array("no \u{1B}[31m\r\nsuch\u{202E} hook".utf8)) == "no [31m such hook")
        #expect(WebhookWorker.words(of: []) == nil)
        #expect(WebhookWorker.words(of: [0xFF, 0xFE]) == nil)
        #expect(WebhookWorker.words(of: Array(repeating: 0x61, count: 999))?.count == 200)
    }
}
