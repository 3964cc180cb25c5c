import HTTP
import Postgres
import TestSupport
import Testing

@testable import API

@Suite(.database) struct PostgresErrorResponseTests {
    @Test(arguments: [
        "08006", "08001", "53000", "53100", "53200", "53300", "57P01", "57P02", "57P03", "57014", "55P03", "40001",
        "40P01",
    ])
    func `trouble that passes is 503 with Retry-After`(sqlstate: String) async throws {
        let error = try await raised(sqlstate)
        #expect(error.sqlstate == sqlstate)
        let response = await answer(to: error)
        #expect(response.status == .unavailable)
        #expect(response.headers["Retry-After"] == "2")
        #expect(text(response).contains("\"code\":\"database_unavailable\""))
        #expect(!text(response).contains("secret"))
    }

    @Test(arguments: ["23505", "23514", "42P01", "42501", "22012", "XX000", "P0001", "26000", "57000"])
    func `anything else is 500 with nothing but the request's id`(sqlstate: String) async throws {
        let response = await answer(to: try await raised(sqlstate))
        #expect(response.status == .internalError)
        #expect(text(response) == "{\"request_id\":\"r1\"}")
    }

    private func raised(_ sqlstate: String) async throws -> PostgresError {
        let error = await #expect(throws: PostgresError.self) {
            try await TestDatabase.current.sql(
                "DO $$ BEGIN RAISE EXCEPTION 'secret' USING ERRCODE = '\(sqlstate)', DETAIL = 'secret'; END $$")
        }
        return try #require(error)
    }

    private func answer(to error: PostgresError) async -> Response {
        let router = Router([Route(.get, "/") { _ in throw error }], failed: { _, _ in })
        return await router.respond(to: Request(.get, Target("/"), id: "r1"))
    }

    private func text(_ response: Response) -> String {
        guard let bytes = response.body.content else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
