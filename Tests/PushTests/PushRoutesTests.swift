import API
import Accounts
import HTTP
import Mail
import Outgoing
import Postgres
import Reactor
import TestSupport
import Testing

@testable import Push

@Suite(.database) struct PushRoutesTests {
    private let web = WebClient(threads: 1, source: .anybody(orThisMachine: false))

    private func routes() -> [Endpoint] {
        let vapid = Vapid(Person.secret, contact: "https://anthill.example.org")
        return PushRoutes(
            gate: Person.gate(), store: PushStore(database: TestDatabase.current.service), vapid: vapid, web: web
        ).routes
    }

    private func person() async throws -> Person {
        try await Person("Dodam", Client(Router(routes().map(\.route))))
    }

    private func browser(
        _ endpoint: String = "https://push.example.org/one", key: [UInt8] = P256Key.random().point,
        authentication: [UInt8] = randomBytes(16)
    ) -> JSON {
        [
            "endpoint": .string(endpoint), "expirationTime": .null,
            "keys": ["p256dh": .string(base64url(key)), "auth": .string(base64url(authentication))],
        ]
    }

    @Test func `every route is open to whom the table says`() {
        let table: [String: Access] = [
            "GET /api/v1/push/key": .anyone, "GET /api/v1/me/push-subscriptions": .user,
            "POST /api/v1/me/push-subscriptions": .user, "DELETE /api/v1/me/push-subscriptions/{id}": .user,
            "POST /api/v1/me/push-tests": .user,
        ]
        let routes = routes().map { ("\($0.route.method.rawValue) \($0.route.pattern)", $0.access) }
        #expect(Dictionary(uniqueKeysWithValues: routes) == table)
    }

    @Test func `a browser is added, listed and removed`() async throws {
        let me = try await person()
        let id = try #require(await me.post("/me/push-subscriptions", browser()).json["id"].string)
        let listed = await me.get("/me/push-subscriptions").json["items"].array ?? []
        #expect(listed.map { $0["id"].string } == [id])
        #expect(listed.first?["current"] == true)
        #expect(listed.first?["device"] == "test")
        #expect(await me.post("/me/push-tests").status == .accepted)
        #expect(await me.post("/me/push-tests").code == "push_just_tested")
        #expect(await me.delete("/me/push-subscriptions/\(id)").status == .noContent)
        #expect(await me.delete("/me/push-subscriptions/\(id)").status == .notFound)
        #expect(await me.post("/me/push-tests").code == "push_is_off")
    }

    @Test func `another's browser cannot be removed`() async throws {
        let (me, other) = (try await person(), try await person())
        let id = try #require(await other.post("/me/push-subscriptions", browser()).json["id"].string)
        #expect(await me.delete("/me/push-subscriptions/\(id)").status == .notFound)
        #expect(await other.get("/me/push-subscriptions").json["items"].array?.count == 1)
    }

    @Test(arguments: ["http://push.example.org/", "http://127.0.0.1/", "https://me@push.example.org/", "push", ""])
    func `an address that is not asked is refused`(_ endpoint: String) async throws {
        let answer = await (try person()).post("/me/push-subscriptions", browser(endpoint))
        #expect(answer.code == "invalid_endpoint")
        #expect(answer.status == .unprocessable)
    }

    @Test func `keys that nothing can be sealed for are refused`() async throws {
        let me = try await person()
        var point = P256Key.random().point
        point[64] ^= 1
        for wrong in [browser(key: point), browser(key: [4]), browser(authentication: randomBytes(15))] {
            #expect(await me.post("/me/push-subscriptions", wrong).code == "invalid_push_keys")
        }
        #expect(await me.get("/me/push-subscriptions").json["items"].array?.isEmpty == true)
    }
}
