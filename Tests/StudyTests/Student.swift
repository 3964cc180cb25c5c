import API
import HTTP
import Study
import TestSupport
import Testing

/// Somebody in Seoul with nothing but the study routes, at `time`.
func student(at time: String, _ nickname: String = "Dodam", timeZone: String = "Asia/Seoul") async throws -> Person {
    try await TestDatabase.current.setClock(time)
    return try await Person(nickname, study(), timeZone: timeZone)
}

func study() -> Client {
    let feature = StudyFeature(
        database: TestDatabase.current.service, gate: Person.gate(), secret: Person.secret,
        baseURL: "https://anthill.example.org", optOuts: Person.optOuts)
    return Client(Router(feature.routes.map(\.route)))
}

extension Person {
    /// Brings study of so many hours, at most 12, from elsewhere, however old.
    func bring(_ startedAt: String, hours: Int) async throws {
        try await TestDatabase.current.sql(
            """
            SELECT record_session('\(id)', NULL, ARRAY[began], ARRAY[began + interval '\(hours) hours'], 'import')
            FROM (VALUES (timestamptz '\(startedAt)')) t (began)
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

    /// Writes down one stretch, with what else is to be said of it.
    func log(_ startedAt: String, _ endedAt: String, _ more: [String: JSON] = [:]) async -> Answer {
        let times: [String: JSON] = ["started_at": .string(startedAt), "ended_at": .string(endedAt)]
        return await post("/me/sessions", .object(times.merging(more) { $1 }))
    }

    /// Makes a subject, project or task and answers its id.
    func made(_ list: String, _ body: JSON) async throws -> String {
        try #require(await post(list, body).json["id"].string)
    }

    /// One member of all items of a list, page after page.
    func list(_ target: String, _ member: String) async -> [String?] {
        var all: [String?] = []
        var after: String? = ""
        while let cursor = after {
            let join = target.contains("?") ? "&" : "?"
            let page = await get(cursor.isEmpty ? target : "\(target)\(join)after=\(cursor)").json
            all += page["items"].array?.map { $0[member].string } ?? []
            after = page["next"].string
        }
        return all
    }

    /// Starts the timer on a subject or a task.
    func startTimer(subject: String? = nil, task: String? = nil) async throws {
        let body: [String: JSON] = [
            "subject_id": subject.map { .string($0) } ?? nil, "task_id": task.map { .string($0) } ?? nil,
        ]
        #expect(await post("/me/timer/start", .object(body)).status == .created)
    }
}
