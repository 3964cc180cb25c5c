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
    /// Brings study of so many hours, at most 12, from elsewhere, however old.
    func bring(_ startedAt: String, hours: Int) async throws {
        try await TestDatabase.current.sql(
            """
            SELECT record_interval('\(id)', '\(startedAt)', timestamptz '\(startedAt)' + interval '\(hours) hours', 'import')
            """)
    }

    /// Gives the wake-up ants of these days.
    func wakeUp(on days: String...) async throws {
        for day in days {
            try await TestDatabase.current.sql("INSERT INTO wake_ups (uid, day) VALUES ('\(id)', '\(day)')")
        }
    }

    func setGoal(_ seconds: Int) async throws {
        try await TestDatabase.current.sql("SELECT set_daily_goal('\(id)', \(seconds))")
    }

    /// Moves to another zone, where the day begins at that hour.
    func moveClock(to timeZone: String, dayStartsAt: String = "05:00") async throws {
        try await TestDatabase.current.sql("SELECT set_study_clock('\(id)', '\(timeZone)', '\(dayStartsAt)')")
    }

    /// Writes down one stretch.
    func log(_ startedAt: String, _ endedAt: String) async -> Answer {
        await post("/me/sessions", ["started_at": .string(startedAt), "ended_at": .string(endedAt)])
    }
}
