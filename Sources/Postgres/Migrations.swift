import Foundation
import Synchronization

/// The schema of a program, in two folders, and how a database gets it.
///
/// Tables are versioned: the files `NNN_topic.sql` of a folder are applied once, in the order of their names, and never
/// edited. Functions, views and triggers have one text each, the one in force: a file of theirs is applied again whenever
/// it has changed, and what it no longer makes is dropped.
package struct Migrations: Sendable {
    private struct File: Sendable {
        /// `tables/001_clock.sql`: what the database remembers it by.
        let name: String
        let text: String
    }

    private let tables: [File]
    /// Before the tables, and after them.
    private let functions: (first: [File], rest: [File])
    private var files: [File] { functions.first + tables + functions.rest }
    private let rights: Query?
    private let digests = Digests()

    /// Reads the files. `first`: the files of `functions` that come before the tables, in the order in which they are applied.
    /// `rights`: a query that gives everybody their rights at the end of each run, and answers what it could not do.
    /// Throws ``PostgresError`` if the tables are not numbered 001, 002 … without a gap.
    package init(tables: URL, functions: URL, first: [String] = [], rights: Query? = nil) throws {
        self.rights = rights
        self.tables = try Migrations.read(tables, as: "tables")
        for (index, file) in self.tables.enumerated() {
            let number = file.name.dropFirst("tables/".count).prefix { $0 != "_" }
            guard Int(number) == index + 1 else {
                throw PostgresError.schema("\(file.name) is out of order: number \(index + 1) is expected there")
            }
        }
        let all = try Migrations.read(functions, as: "functions")
        let first = first.map { "functions/\($0)" }
        self.functions = (
            first.compactMap { name in all.first { $0.name == name } }, all.filter { !first.contains($0.name) }
        )
    }

    private static func read(_ folder: URL, as kind: String) throws -> [File] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".sql") }.sorted().map {
            File(
                name: "\(kind)/\($0)", text: try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
        }
    }

    /// Brings the schema up to date, all in one transaction, one program at a time. Returns what the rights lack.
    /// Throws ``PostgresError`` if the database is not this program's, or if a file fails; then nothing has changed.
    @discardableResult
    package func run(on database: Database) async throws -> [String] {
        let digests = try await digests(database)
        // A large table takes its time, and so may the transaction that holds the lock.
        return try await database.slowTransaction {
            try await database.write([
                "SET LOCAL client_min_messages = warning",
                "SELECT pg_advisory_xact_lock(hashtextextended('anthill_migrations', 0))",
                """
                CREATE TABLE IF NOT EXISTS schema_migrations (
                  name text CONSTRAINT schema_migrations_key PRIMARY KEY,
                  sha256 text NOT NULL,
                  applied_at timestamptz NOT NULL DEFAULT now(),
                  made text[] NOT NULL DEFAULT '{}'            -- functions, views and triggers, as DROP names them
                )
                """,
            ])
            let applied = try await applied(database)
            try refuse(applied, digests)
            let due = files.filter { applied[$0.name] != digests[$0.name] }
            let gone = applied.keys.filter { name in
                name.hasPrefix("functions/") && !functions.first.contains { $0.name == name }
                    && !functions.rest.contains { $0.name == name }
            }
            let replaced = due.map(\.name) + gone
            let before = try await made(by: replaced, database)
            try await drop(before, database)
            try await database.write("DELETE FROM schema_migrations WHERE name = ANY (\(replaced))")
            for file in due { try await apply(file, digests[file.name]!, database) }
            try await dropRest(of: before, database)
            guard let rights else { return [] }
            return try await database.write(rights).decode(String.self)
        }
    }

    /// Throws ``PostgresError`` unless the schema is exactly what these files make.
    package func check(_ database: Database) async throws {
        let isThere = try await database.read("SELECT to_regclass('schema_migrations') IS NOT NULL")
        guard try isThere.decode(Bool.self) == [true] else {
            throw PostgresError.schema("the database has no schema yet: run anthill migrate")
        }
        let applied: [String: String]
        do { applied = try await self.applied(database) } catch let error as PostgresError
            where error.sqlstate == "42501"
        {
            // After a restore without privileges, which migrations give.
            let role = try await database.read("SELECT current_user::text").one.decode(String.self)
            throw PostgresError.schema(
                "the role \(role) may not read the tables: run anthill migrate with DATABASE_OWNER_URL")
        }
        let digests = try await digests(database)
        try refuse(applied, digests)
        if let missing = files.first(where: { applied[$0.name] != digests[$0.name] }) {
            throw PostgresError.schema("the schema lacks this program's \(missing.name): run anthill migrate")
        }
    }

    /// Throws ``PostgresError`` if this program may not touch the database.
    private func refuse(_ applied: [String: String], _ digests: [String: String]) throws {
        guard applied["001_clock.sql"] == nil else {
            throw PostgresError.schema(
                "the database was made before Anthill's first release, by another schema: begin with an empty one")
        }
        for (name, sha256) in applied.sorted(by: { $0.key < $1.key }) where !name.hasPrefix("functions/") {
            guard let digest = digests[name] else {
                throw PostgresError.schema("the database is of a newer program: it has \(name), which this one lacks")
            }
            guard digest == sha256 else {
                throw PostgresError.schema("\(name) is not what was applied: a file of tables is never edited")
            }
        }
    }

    // MARK: Files

    private func apply(_ file: File, _ digest: String, _ database: Database) async throws {
        do {
            try await database.script(unsafe: file.text)
        } catch let error as PostgresError where error.kind == .server && !error.isRetryable {
            throw PostgresError.schema("\(file.name)\(error.line(in: file.text)): \(error)")
        }
        // Everything that this transaction has made, except what an earlier file made.
        try await database.write(
            """
            INSERT INTO schema_migrations (name, sha256, made)
              SELECT \(file.name), \(digest), coalesce(array_agg(format('%s %s', o.type, o.identity) ORDER BY m.id), '{}')
              FROM (
                SELECT 'pg_proc'::regclass AS catalog, p.oid AS id FROM pg_proc p
                WHERE p.pronamespace = current_schema()::regnamespace AND p.xmin = pg_current_xact_id()::xid
                  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid
                                    AND d.deptype = 'e')
                UNION ALL
                SELECT 'pg_class'::regclass, c.oid FROM pg_class c
                WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'v'
                  AND c.xmin = pg_current_xact_id()::xid
                UNION ALL
                SELECT 'pg_trigger'::regclass, t.oid FROM pg_trigger t
                WHERE NOT t.tgisinternal AND t.xmin = pg_current_xact_id()::xid
              ) m
              CROSS JOIN LATERAL pg_identify_object(m.catalog, m.id, 0) o
              WHERE \(file.name) LIKE 'functions/%' AND NOT EXISTS (
                SELECT FROM schema_migrations f WHERE format('%s %s', o.type, o.identity) = ANY (f.made)
                  AND f.applied_at = now())
            """)
    }

    /// What these files have made, in the order in which it can be dropped.
    private func made(by names: [String], _ database: Database) async throws -> [String] {
        try await database.read(
            """
            SELECT m.object FROM schema_migrations f CROSS JOIN LATERAL unnest(f.made) WITH ORDINALITY m (object, place)
            WHERE f.name = ANY (\(names)) ORDER BY f.name, m.place DESC
            """
        ).decode(String.self)
    }

    /// Drops what nothing else needs, so that it may come back with other columns or another type. What something needs
    /// stays, to be replaced.
    private func drop(_ objects: [String], _ database: Database) async throws {
        guard !objects.isEmpty else { return }
        try await database.script(
            unsafe: """
                DO $drop$
                DECLARE
                  object text;
                BEGIN
                  FOREACH object IN ARRAY ARRAY[\(objects.map { "'\($0.replacing("'", with: "''"))'" }.joined(separator: ", "))] LOOP
                    BEGIN
                      EXECUTE 'DROP ' || object;
                    EXCEPTION WHEN dependent_objects_still_exist THEN NULL;
                    END;
                  END LOOP;
                END $drop$
                """)
    }

    /// Drops what stayed and what no file makes any more. Throws ``PostgresError`` if something still needs it.
    private func dropRest(of objects: [String], _ database: Database) async throws {
        let rest = try await database.read(
            """
            SELECT o.object FROM unnest(\(objects)::text[]) WITH ORDINALITY o (object, place)
            WHERE NOT EXISTS (SELECT FROM schema_migrations f WHERE o.object = ANY (f.made)) ORDER BY o.place
            """
        ).decode(String.self)
        for object in rest {
            try await database.script(unsafe: "DROP \(object.replacing(" ", with: " IF EXISTS ", maxReplacements: 1))")
        }
    }

    // MARK: Digests

    /// The digests of the files that were applied, by their names.
    private func applied(_ database: Database) async throws -> [String: String] {
        let rows = try await database.read("SELECT name, sha256 FROM schema_migrations")
        return Dictionary(uniqueKeysWithValues: try rows.decode(String.self, String.self))
    }

    /// What PostgreSQL has answered once. The files are read once, too.
    private final class Digests: Sendable {
        let known = Mutex<[String: String]?>(nil)
    }

    /// The SHA-256 of each file, by PostgreSQL itself.
    private func digests(_ database: Database) async throws -> [String: String] {
        if let known = digests.known.withLock(\.self) { return known }
        let rows = try await database.read(
            """
            SELECT name, encode(sha256(convert_to(text, 'UTF8')), 'hex')
            FROM unnest(\(files.map(\.name))::text[], \(files.map(\.text))::text[]) AS file(name, text)
            """)
        let found = Dictionary(uniqueKeysWithValues: try rows.decode(String.self, String.self))
        digests.known.withLock { $0 = found }
        return found
    }
}
