import Foundation

/// The schema's history: the files `NNN_topic.sql` of a folder, in the order of their names.
package struct Migrations: Sendable {
    private struct File: Sendable {
        let name: String
        let text: String
    }

    private let files: [File]

    /// Reads the files. Throws ``PostgresError`` if they are not numbered 001, 002 … without a gap.
    package init(folder: URL) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sql") }
        files = try names.sorted().map { name in
            File(name: name, text: try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8))
        }
        for (index, file) in files.enumerated() where Int(file.name.prefix { $0 != "_" }) != index + 1 {
            throw PostgresError.schema("\(file.name) is out of order: number \(index + 1) is expected there")
        }
    }

    /// Brings the schema up to date: each file once, in a transaction of its own, one program at a time.
    /// Throws ``PostgresError`` if the database knows a file that this program does not, or another text of one.
    package func run(on database: Database) async throws {
        let digests = try await digests(database)
        // The lock ends with each transaction, so another program may go on from here; each step looks anew.
        while try await database.transaction(of: .slow, { try await step(database, digests) }) {}
    }

    /// Throws ``PostgresError`` unless the schema is exactly what these files make.
    package func check(_ database: Database) async throws {
        let isThere = try await database.read("SELECT to_regclass('schema_migrations') IS NOT NULL")
        guard try isThere.decode(Bool.self) == [true] else {
            throw PostgresError.schema("the database has no schema yet: run anthill migrate")
        }
        let applied = try await applied(database)
        try compare(applied, try await digests(database))
        if applied.count < files.count {
            throw PostgresError.schema("the schema lacks \(files[applied.count].name): run anthill migrate")
        }
    }

    /// Applies the next file; false if there is none.
    private func step(_ database: Database, _ digests: [String]) async throws -> Bool {
        // A large table takes its time, and so does whoever holds the lock.
        try await database.write(["SET LOCAL lock_timeout = 0", "SET LOCAL statement_timeout = 0"])
        try await database.write([
            "SELECT pg_advisory_xact_lock(hashtextextended('anthill_migrations ' || current_schema(), 0))",
            """
            CREATE TABLE IF NOT EXISTS schema_migrations (
              name text CONSTRAINT schema_migrations_pkey PRIMARY KEY,
              sha256 text NOT NULL,
              applied_at timestamptz NOT NULL DEFAULT now()
            )
            """,
        ])
        let count = try await applied(database, matching: digests)
        guard count < files.count else { return false }
        let file = files[count]
        do {
            try await database.script(unsafe: file.text)
        } catch let error as PostgresError where error.kind == .server && !error.isRetryable {
            throw PostgresError.schema("\(file.name)\(error.line(in: file.text)): \(error)")
        }
        try await database.write(
            "INSERT INTO schema_migrations (name, sha256) VALUES (\(file.name), \(digests[count]))")
        return true
    }

    private func applied(_ database: Database, matching digests: [String]) async throws -> Int {
        let applied = try await applied(database)
        try compare(applied, digests)
        return applied.count
    }

    private func applied(_ database: Database) async throws -> [(String, String)] {
        let rows = try await database.read("SELECT name, sha256 FROM schema_migrations ORDER BY name")
        return try rows.decode(String.self, String.self)
    }

    private func compare(_ applied: [(String, String)], _ digests: [String]) throws {
        for (index, (name, digest)) in applied.enumerated() {
            guard index < files.count, files[index].name == name else {
                throw PostgresError.schema("the schema is not of this program: it has \(name)")
            }
            guard digests[index] == digest else {
                throw PostgresError.schema("\(name) is not what was applied: a migration is never edited")
            }
        }
    }

    /// The SHA-256 of each file, by PostgreSQL itself.
    private func digests(_ database: Database) async throws -> [String] {
        let rows = try await database.read(
            """
            SELECT encode(sha256(convert_to(text, 'UTF8')), 'hex')
            FROM unnest(\(files.map(\.text))::text[]) WITH ORDINALITY AS file(text, number) ORDER BY number
            """)
        return try rows.decode(String.self)
    }
}
