import API
import Accounts
import Groups
import HTTP
import Moderation
import Postgres
import Ranking
import Study
import TestSupport

/// The routes of moderation; `sendsMail`: whether links go by mail.
func moderationFeature(_ gate: Gate = Person.gate(), sendsMail: Bool = true) -> ModerationFeature {
    let database = TestDatabase.current.database
    return ModerationFeature(
        database: database, gate: gate,
        links: OperatorLinks(database: database, secret: Person.secret, baseURL: "https://anthill.example"),
        sendsMail: sendsMail)
}

/// Moderation with what it is about: groups, timers and boards.
func service(sendsMail: Bool = true) -> Client {
    let (database, gate) = (TestDatabase.current.database, Person.gate())
    let endpoints =
        moderationFeature(gate, sendsMail: sendsMail).routes
        + GroupsFeature(database: database, gate: gate, baseURL: "https://anthill.example").routes
        + StudyFeature(
            database: database, gate: gate, secret: Person.secret, baseURL: "https://anthill.example",
            optOuts: Person.optOuts
        ).routes + RankingRoutes(database: database, gate: gate).routes
    return Client(Router(endpoints.map(\.route)))
}

extension Person {
    /// Somebody at noon of 21 November in Seoul who looks after the service.
    static func siteAdmin(_ nickname: String = "Warden", _ client: Client? = nil) async throws -> Person {
        try await TestDatabase.current.setClock("2026-11-21T03:00:00Z")
        let person = try await Person(nickname, client ?? service())
        _ = try await TestDatabase.current.database.write("SELECT make_site_admin(\(person.uid), 'the operator')")
        return person
    }

    /// Somebody on the global board who has run the timer for so long until now.
    static func onBoard(_ nickname: String, seconds: Int) async throws -> Person {
        let person = try await Person(nickname, service())
        let database = TestDatabase.current.database
        _ = try await database.write("SELECT set_global_board(\(person.uid), true)")
        _ = await person.post("/me/timer/start", [:])
        try await TestDatabase.current.advance(seconds)
        _ = await person.post("/me/timer/stop", [:])
        return person
    }

    func keepAddress(_ address: String) async throws {
        _ = try await TestDatabase.current.database.write(
            "INSERT INTO user_emails (canonical, email, uid) VALUES (\(address), \(address), \(uid))")
    }

    /// Whom they see on the global board, from the top.
    func seen() async -> [String] {
        await get("/leaderboard").json["entries"].array?.compactMap(\.["nickname"].string) ?? []
    }
}
