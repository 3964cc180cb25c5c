import Accounts
import Foundation
import Glibc
import Postgres

/// The configuration, and the machine that the command runs on.
extension Doctor {
    func configuration() -> Finding {
        let config: Config
        do { config = try Config(environment: environment) } catch {
            return Finding("configuration", .critical, "\(error)")
        }
        var faults: [String] = []
        if !config.isLocal {
            if !config.isSecure {
                faults.append("ANTHILL_BASE_URL is http: sign-ins travel unencrypted. Put TLS in front of it.")
            }
            if case .folder = config.mail {
                faults.append("ANTHILL_SMTP_URL is missing: mails are files that nobody gets.")
            }
        }
        let summary = "\(config.baseURL.absoluteString), registration \(config.registration.rawValue)"
        return Finding("configuration", faults.isEmpty ? .ok : .warning, summary, faults)
    }

    /// The room that is left where the data are: those of the scripts and, on this machine, those of the database and its
    /// backups. Without a database, only the first.
    func disk(_ database: Database? = nil) async throws -> Finding {
        let home = environment["ANTHILL_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? ".anthill"
        guard let least = Room(home) else {
            return Finding("disk", .warning, "there is no folder \(home): set ANTHILL_HOME")
        }
        var others = ["\(home)/postgres", "\(home)/backups"]
        if let database { others += try await folders(database) }
        return Doctor.disk([least] + others.compactMap(Room.init))
    }

    /// The folder of the database, if it runs on this machine, and that of the last backup.
    private func folders(_ database: Database) async throws -> [String] {
        let data = try await database.read(
            """
            SELECT setting FROM pg_settings
            WHERE name = 'data_directory' AND inet_server_addr() IS NOT DISTINCT FROM inet_client_addr()
            """
        ).decode(String.self)
        // Where the schema is another program's, the check of it says so.
        let backups = try? await database.read(
            "SELECT b.folder FROM substring(last_backup_place() FROM '(/.*)/') b (folder) WHERE b.folder IS NOT NULL"
        ).decode(String.self)
        return data + (backups ?? [])
    }

    /// What is left on a disk that has this folder.
    struct Room {
        let folder: String
        let disk: dev_t
        let bytes: Double
        let share: Double

        var text: String {
            let gigabytes = (bytes / 1e9).formatted(
                .number.precision(.fractionLength(1)).locale(Locale(identifier: "en_US_POSIX")))
            return "\(gigabytes) GB (\(Int(share * 100)) %) are free in \(folder)"
        }
    }

    /// The least room decides. Folders on the same disk are told once.
    static func disk(_ rooms: [Room]) -> Finding {
        var disks: Set<dev_t> = []
        let rooms = rooms.filter { disks.insert($0.disk).inserted }.sorted { $0.share < $1.share }
        let status: Health.Status = rooms[0].share < 0.03 ? .critical : rooms[0].share < 0.1 ? .warning : .ok
        return Finding("disk", status, rooms[0].text, rooms.dropFirst().map(\.text))
    }

    func clock(_ database: Database) async throws -> Finding {
        let before = Date.now.timeIntervalSince1970
        let theirs = try await database.read("SELECT extract(epoch FROM clock_timestamp())::float8").one
            .decode(Double.self)
        return Doctor.clock(theirs, asked: before, answered: Date.now.timeIntervalSince1970)
    }

    /// The database's clock against the machine's. Half of the round trip may be on either side.
    static func clock(_ theirs: Double, asked before: Double, answered after: Double) -> Finding {
        let apart = abs(theirs - (before + after) / 2) - (after - before) / 2
        let status: Health.Status = apart > 60 ? .critical : apart > 2 ? .warning : .ok
        let said = status == .ok ? "agrees with the database's" : "is \(Int(apart.rounded(.up))) s from the database's"
        return Finding("clock", status, "this machine's clock \(said)")
    }
}

extension Doctor.Room {
    /// nil if there is no such folder.
    init?(_ folder: String) {
        var (place, system) = (stat(), statvfs())
        guard stat(folder, &place) == 0, statvfs(folder, &system) == 0, system.f_blocks > 0 else { return nil }
        self.init(
            folder: folder, disk: place.st_dev, bytes: Double(system.f_bavail) * Double(system.f_frsize),
            share: Double(system.f_bavail) / Double(system.f_blocks))
    }
}
