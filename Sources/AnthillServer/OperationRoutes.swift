import API
import HTTP
import Postgres

/// Routes for the operator of the service.
struct OperationRoutes {
    let database: Database
    /// What the schema must be.
    let migrations: Migrations

    var routes: [Endpoint] {
        [
            Endpoint(.anyone, Route(.get, "/healthz", isAlive)),
            Endpoint(.anyone, Route(.get, "/readyz", isReady)),
        ]
    }

    /// The process lives.
    private func isAlive(_ request: Request) async throws -> Response {
        .text("ok\n").notStored()
    }

    /// The database is reachable and its schema is this program's.
    private func isReady(_ request: Request) async throws -> Response {
        guard await database.isReady() else { throw OperationRoutes.notReady }
        do { try await migrations.check(database) } catch { throw OperationRoutes.notReady }
        return .text("ready\n").notStored()
    }

    private static let notReady = Problem(
        .unavailable, "not_ready", ko: "데이터베이스에 연결할 수 없거나 스키마가 이 프로그램과 맞지 않아요.",
        en: "The database cannot be reached, or its schema is not this program's."
    ).with(("Retry-After", "2"))
}
