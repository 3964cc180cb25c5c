import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.database) struct DatabaseTests {
    let database = TestDatabase.current.database

    @Test func `a read answers what a write has committed`() async throws {
        try await TestDatabase.current.sql("CREATE TABLE notes (id int PRIMARY KEY, body text)")
        try await database.write("INSERT INTO notes VALUES (\(1), \("first"))")
        let rows = try await database.read("SELECT id, body FROM notes")
        #expect(try rows.decode(Int.self, String.self).map(\.1) == ["first"])
    }
}
