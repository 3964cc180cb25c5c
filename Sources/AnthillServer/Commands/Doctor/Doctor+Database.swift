import Postgres
import Schema

/// The database as such: its schema and its settings.
extension Doctor {
    func schema(_ database: Database) async throws -> Finding {
        do {
            try await Schema.migrations().check(database)
            try await Schema.checkHome(database)
        } catch let error as PostgresError where error.kind == .schema {
            return Finding("schema", .critical, "\(error)")
        } catch let error as Schema.Away {
            return Finding("schema", .critical, "\(error)")
        }
        return Finding("schema", .ok, "current")
    }

    func server(_ database: Database) async throws -> Finding {
        let row = try await database.read(
            """
            SELECT current_setting('server_version') AS version,
              pg_size_pretty(pg_database_size(current_database())) AS size
            """
        ).one
        let (version, size): (String, String) = (try row["version"], try row["size"])
        return Finding("database", .ok, "\(size) on PostgreSQL \(version)")
    }

    /// What the service's role may do that the service does not need.
    func rights(_ database: Database) async throws -> Finding {
        let role = try DatabaseAddress(environment).role ?? "anthill_service"
        let beyond = try await database.read(
            "SELECT rights_beyond_need(r.rolname) FROM pg_roles r WHERE r.rolname = \(role)"
        ).decode(String.self)
        return beyond.isEmpty
            ? Finding("rights", .ok, "\(role) has only those that the service needs")
            : Finding("rights", .warning, "\(role) has more than the service needs", beyond)
    }

    /// Whether they follow. What is known about them needs a moment.
    func replicas(_ database: Database) async throws -> Finding {
        for _ in 0..<16 where !database.replicaFigures.allSatisfy(\.isFit) {
            try await Task.sleep(for: .milliseconds(250))
        }
        let late = database.replicaFigures.filter { !$0.isFit }
            .map { "\($0.name) is away, lags, or does not follow the primary" }
        return late.isEmpty
            ? Finding("replicas", .ok, "all follow: \(database.replicaFigures.map(\.name).joined(separator: ", "))")
            : Finding("replicas", .warning, "\(late.count) to look at; the primary does their work", late)
    }

    /// A setting of the server, what it may be, and why.
    private static let wishes: [(setting: String, allowed: Set<String>, reason: String)] = [
        ("fsync", ["on"], "a crash would lose what was acknowledged"),
        ("full_page_writes", ["on"], "a crash could tear pages"),
        (
            "synchronous_commit", ["on", "local", "remote_write", "remote_apply"],
            "a crash would lose what was acknowledged"
        ),
        ("autovacuum", ["on"], "deleted rows would fill the disk, and plans would grow old"),
        ("track_counts", ["on"], "autovacuum would not know what to do"),
        ("log_statement", ["none", "ddl"], "the database's log would hold people's addresses"),
        ("data_checksums", ["on"], "nobody would notice a disk that returns something else than was written"),
    ]

    /// The service does not start without some of these settings.
    func settings(_ database: Database) async throws -> Finding {
        let rows = try await database.read(
            "SELECT name, setting FROM pg_settings WHERE name = ANY (\(Doctor.wishes.map(\.setting)))")
        let settings = Dictionary(uniqueKeysWithValues: try rows.decode(String.self, String.self))
        var faults = Doctor.wishes.compactMap { wish in
            let value = settings[wish.setting] ?? "unknown"
            return wish.allowed.contains(value) ? nil : "\(wish.setting) is \(value): \(wish.reason)"
        }
        let row = try await database.read(
            """
            SELECT d.datcollversion IS DISTINCT FROM pg_database_collation_actual_version(d.oid) AS is_sorted_otherwise,
              coalesce(a.last_failed_time > coalesce(a.last_archived_time, '-infinity'), false) AS is_archiving_failing,
              current_setting('synchronous_standby_names') = '' OR current_setting('synchronous_commit') = 'local'
                AS is_alone
            FROM pg_database d CROSS JOIN pg_stat_archiver a WHERE d.datname = current_database()
            """
        ).one
        if try row["is_sorted_otherwise"] {
            faults.append(
                "text is sorted otherwise than before: REINDEX, then ALTER DATABASE … REFRESH COLLATION VERSION")
        }
        if try row["is_archiving_failing"] {
            faults.append("archive_command fails: the WAL fills the disk, and there is no way back to a point in time")
        }
        let servers = try Database.serverCount(of: DatabaseAddress(environment).url)
        if try servers > 1 && row["is_alone"] {
            faults.append(
                "commits wait for no standby, though DATABASE_URL names \(servers) servers: "
                    + "a failover would lose what was acknowledged")
        }
        return faults.isEmpty
            ? Finding("settings", .ok, "durable, cleaned up by itself, discreet", Doctor.wishes.map(reasoned))
            : Finding("settings", .warning, "\(faults.count) to look at", faults)

        func reasoned(_ wish: (setting: String, allowed: Set<String>, reason: String)) -> String {
            "\(wish.setting) = \(settings[wish.setting] ?? "unknown"): otherwise \(wish.reason)"
        }
    }
}
