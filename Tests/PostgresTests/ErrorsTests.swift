@testable import Postgres
import TestSupport
import Testing

@Suite(.database) struct ErrorsTests {
    let database = TestDatabase.current.database

    private func error(_ query: Query) async throws -> PostgresError {
        do { _ = try await database.write(query) } catch let error as PostgresError { return error }
        throw Unexpected()
    }

    private struct Unexpected: Error {}

    @Test func `a violated constraint is named`() async throws {
        try await TestDatabase.current.sql("CREATE TABLE people (email text CONSTRAINT one_per_address PRIMARY KEY)")
        try await database.write("INSERT INTO people VALUES (\("secret@example.org"))")
        let error = try await error("INSERT INTO people VALUES (\("secret@example.org"))")
        #expect(error.sqlstate == "23505" && error.constraint == "one_per_address" && error.table == "people")
        #expect(error.kind == .server)
    }

    @Test(arguments: [
        ("CONSTRAINT = 'group_full', HINT = 'group_full'", "group_full"), ("HINT = 'group_full'", "group_full"),
        ("CONSTRAINT = 'groups_name_102008'", "groups_name"), ("HINT = 'Try again.'", nil),
    ])
    func `a rule that refuses is known by its name, also where several nodes hold the database`(
        options: String, name: String?
    ) async throws {
        let error = await #expect(throws: PostgresError.self) {
            try await TestDatabase.current.sql(
                "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = 'check_violation', \(options); END $$")
        }
        #expect(error?.constraint == name)
    }

    @Test(
        arguments: [
            "INSERT INTO people VALUES (\("secret"))", "SELECT \("secret")::int", "SELECT \("secret")::regclass",
            "SELECT \("secret")::uuid", "SELECT shout(\("secret"))", "SELECT \("{secret")::text[]",
            "SELECT \("secret")::date",
        ] as [Query])
    func `an error never prints a bound value`(query: Query) async throws {
        try await TestDatabase.current.sql(
            """
            CREATE TABLE people (email text CONSTRAINT one_per_address PRIMARY KEY);
            INSERT INTO people VALUES ('secret');
            CREATE FUNCTION shout(said text) RETURNS void LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION '% was said', said USING ERRCODE = 'lock_not_available'; END $$
            """)
        let error = try await error(query)
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", String(reflecting: error), dumped] {
            #expect(!text.contains("secret"), "\(text)")
            #expect(text.contains(error.sqlstate))
        }
        #expect(error.unredacted.contains("secret"))
    }

    @Test func `what begins in the program is a sentence without a code`() {
        #expect("\(PostgresError.usage("fsync is off"))" == "fsync is off")
        #expect("\(PostgresError.pooler)" == "a connection pooler is in between")
    }

    @Test func `a mistake in the SQL is told as the server tells it`() async throws {
        let error = try await error("SELECT wrong FROM pg_class WHERE relname = \("secret")")
        #expect("\(error)".contains("column \"wrong\" does not exist"))
        #expect(error.sqlstate == "42703")
        // The connection is none the worse, and neither is the statement's place among the prepared.
        #expect(try await database.write("SELECT 1").count == 1)
        #expect(try await self.error("SELECT wrong FROM pg_class WHERE relname = \("secret")").sqlstate == "42703")
    }
}
