import API
import HTTP
import Moderation
import Postgres
import TestSupport
import Testing

/// Every route of moderation × everyone who may ask: what is for site admins does not exist for anybody else.
@Suite(.database) struct AuthorisationTests {
    enum Asker: CaseIterable { case nobody, stranger, exMember, member, admin, owner, siteAdmin }

    private func asker(_ who: Asker) async throws -> Person? {
        let client = service()
        let owner = try await Person("Dodam", client)
        switch who {
        case .nobody: return nil
        case .stranger: return try await Person("Stranger", client)
        case .siteAdmin: return try await Person.siteAdmin("Warden", client)
        case .owner, .member, .admin, .exMember: break
        }
        let group = await owner.post("/groups", ["name": "Room"]).json["id"].string ?? "-"
        if who == .owner { return owner }
        let code = await owner.post("/groups/\(group)/invitations").json["code"].string ?? "-"
        let person = try await Person("Somebody", client)
        _ = await person.post("/invitations/\(code)/acceptances")
        if who == .admin { _ = await owner.patch("/groups/\(group)/members/\(person.id)", ["role": "admin"]) }
        if who == .exMember { _ = await person.delete("/groups/\(group)/members/me") }
        return person
    }

    @Test(arguments: Asker.allCases)
    func `nobody but a site admin finds a route of theirs, whatever they send`(who: Asker) async throws {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let token = try await asker(who)?.token
        let endpoints = moderationFeature().routes.filter { $0.access == .siteAdmin }
        #expect(endpoints.count == 12)
        for endpoint in endpoints {
            let route = endpoint.route
            let target = route.pattern.replacing(#/\{\w+\}/#, with: "00000000-0000-0000-0000-000000000001")
            for body in [nil, [:], ["answer": "x"]] as [JSON?] {
                let answer = await service().send(
                    route.method, target, json: route.method == .get ? nil : body, bearer: token)
                let told = "\(route.method.rawValue) \(route.pattern)"
                switch who {
                case .nobody: #expect(answer.code == "not_signed_in", "\(told)")
                case .siteAdmin:
                    #expect(answer.status != .unauthorized && answer.status != .forbidden, "\(told)")
                    // What is there without being named is found.
                    if !route.pattern.contains("{") { #expect(answer.status != .notFound, "\(told)") }
                default: #expect(answer.status == .notFound && answer.code == "not_found", "\(told)")
                }
            }
        }
    }

    @Test func `asking for what is for site admins counts against the limit`() async throws {
        let token = try await Person("Stranger", service()).token
        let client = Client(Router(moderationFeature(Person.gate(mostRequests: 2)).routes.map(\.route)))
        var codes: [String?] = []
        for _ in 0..<3 { codes.append(await client.get("/api/v1/admin/reports", bearer: token).code) }
        #expect(codes == ["not_found", "not_found", "too_many_requests"])
    }

    @Test func `exactly the routes below admin are for site admins`() {
        for endpoint in moderationFeature().routes {
            let isBelow = endpoint.route.pattern.hasPrefix("/api/v1/admin/")
            #expect(endpoint.access == (isBelow ? .siteAdmin : .user), "\(endpoint.route.pattern)")
        }
    }

    @Test func `somebody is let in as soon as they are made a site admin, and out as soon as that ends`() async throws {
        let database = TestDatabase.current.database
        let person = try await Person("Haneul", service())
        #expect(await person.get("/admin/figures").status == .notFound)
        _ = try await database.write("SELECT make_site_admin(\(person.uid), 'Kim')")
        #expect(await person.get("/admin/figures").status == .ok)
        _ = try await database.write("SELECT end_site_admin(\(person.uid), 'Kim')")
        #expect(await person.get("/admin/figures").status == .notFound)
    }

    @Test func `a site admin has no more rights in a group than anybody else`() async throws {
        let client = service()
        let (owner, warden) = (try await Person("Dodam", client), try await Person.siteAdmin("Warden", client))
        let group = await owner.post("/groups", ["name": "Room"]).json["id"].string ?? "-"
        for path in ["", "/members", "/suspensions", "/audit", "/leaderboard"] {
            #expect(await warden.get("/groups/\(group)\(path)").status == .notFound)
        }
    }
}
