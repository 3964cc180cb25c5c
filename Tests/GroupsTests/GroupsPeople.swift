import API
import Groups
import HTTP
import TestSupport

func groupEndpoints() -> [Endpoint] {
    GroupsFeature(
        database: TestDatabase.current.service, gate: Person.gate(), baseURL: "https://anthill.example"
    ).routes
}

func groups() -> Client { Client(Router(groupEndpoints().map(\.route))) }

/// A group at `time` with its owner.
struct Room: Sendable {
    let owner: Person
    /// Of the group.
    let id: String
    var path: String { "/groups/\(id)" }

    init(at time: String = "2026-11-21T03:00:00Z") async throws {
        try await TestDatabase.current.setClock(time)
        owner = try await Person("Dodam", groups())
        id = await owner.post("/groups", ["name": "Grad Exam Room"]).json["id"].string ?? "-"
    }

    /// A code that lets anyone in.
    func code() async -> String { await owner.post("\(path)/invitations").json["code"].string ?? "-" }

    /// Somebody new who has joined with this role.
    func join(_ nickname: String, as role: String = "member") async throws -> Person {
        let person = try await Person(nickname, groups())
        _ = await person.post("/invitations/\(await code())/acceptances")
        if role != "member" { _ = await owner.patch("\(path)/members/\(person.id)", ["role": .string(role)]) }
        return person
    }
}
