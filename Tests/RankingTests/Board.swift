import API
import Foundation
import Groups
import HTTP
import Study
import TestSupport

@testable import Ranking

/// One instance of the service, with the routes of groups, study and boards, on the running test's database.
struct Instance: Sendable {
    let ranking: RankingRoutes
    let client: Client

    init(largePast: Int = 500, rhythm: LiveBoards.Rhythm = .init()) {
        let (database, gate) = (TestDatabase.current.service, Person.gate())
        ranking = RankingRoutes(
            database: database, gate: gate, remembering: .zero, largePast: largePast, rhythm: rhythm)
        client = Client(
            Router(
                (GroupsFeature(database: database, gate: gate, baseURL: "https://anthill.example").routes
                    + StudyFeature(
                        database: database, gate: gate, secret: Person.secret, baseURL: "https://anthill.example",
                        optOuts: Person.optOuts
                    ).routes + ranking.routes
                    + OwnBadgeRoutes(
                        badges: OwnBadgeStore(database: database, secret: Person.secret), gate: gate,
                        baseURL: "https://anthill.example"
                    ).routes).map(\.route)))
    }
}

/// An instance that has nothing in memory.
func everything() -> Client { Instance().client }

/// A group in Seoul whose days begin at 05:00, which is 20:00 UTC, with its owner.
struct Room: Sendable {
    let owner: Person
    let id: String
    var path: String { "/groups/\(id)" }

    private let client: Client

    init(
        at time: String = "2026-11-21T03:00:00Z", rules: JSON = [:], on instance: Instance = Instance()
    ) async throws {
        try await TestDatabase.current.setClock(time)
        client = instance.client
        owner = try await Person("Dodam", client)
        id = await owner.post("/groups", ["name": "Grad Exam Room", "rules": rules]).json["id"].string ?? "-"
    }

    /// Somebody new in the group.
    func join(_ nickname: String, timeZone: String = "Asia/Seoul") async throws -> Person {
        let person = try await Person(nickname, client, timeZone: timeZone)
        await admit(person)
        return person
    }

    func admit(_ person: Person) async {
        let code = await owner.post("\(path)/invitations").json["code"].string ?? "-"
        _ = await person.post("/invitations/\(code)/acceptances")
    }
}

extension Person {
    @discardableResult
    func log(_ startedAt: String, _ endedAt: String) async -> Answer {
        await post("/me/sessions", ["started_at": .string(startedAt), "ended_at": .string(endedAt)])
    }

    /// Runs the timer for so long; the clock moves with it.
    func run(_ seconds: Int) async throws {
        _ = await post("/me/timer/start")
        try await TestDatabase.current.advance(seconds)
        _ = await post("/me/timer/stop")
    }

    func board(_ room: Room, _ query: String = "") async -> JSON {
        await get("\(room.path)/leaderboard?\(query)").json
    }
}

extension JSON {
    /// The nicknames of the entries in their order.
    var nicknames: [String] { self["entries"].array?.compactMap(\.["nickname"].string) ?? [] }
    var ranks: [Int] { self["entries"].array?.compactMap(\.["rank"].int) ?? [] }
    var seconds: [Int] { self["entries"].array?.compactMap(\.["seconds"].int) ?? [] }

    /// Whether this entry tells nothing but that somebody is there who hides.
    func isSomeone(at rank: Int) -> Bool {
        self["rank"].int == rank && self["hidden"] == true
            && names.subtracting(["rank", "hidden"]).allSatisfy { self[$0].isNull }
    }

    func entry(_ person: Person) -> JSON {
        self["entries"].array?.first { $0["uid"].string == person.id } ?? .null
    }
}
