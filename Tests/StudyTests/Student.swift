import HTTP
import Study
import TestSupport

/// Somebody in Seoul with nothing but the study routes, at `time`.
func student(at time: String, _ nickname: String = "Dodam", timeZone: String = "Asia/Seoul") async throws -> Person {
    try await TestDatabase.current.setClock(time)
    return try await Person(nickname, study(), timeZone: timeZone)
}

func study() -> Client {
    Client(Router(StudyRoutes(database: TestDatabase.current.database, gate: Person.gate()).routes))
}

extension Person {
    /// Writes down one stretch.
    func log(_ startedAt: String, _ endedAt: String) async -> Answer {
        await post("/me/sessions", ["started_at": .string(startedAt), "ended_at": .string(endedAt)])
    }
}
