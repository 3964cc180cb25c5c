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

    /// The room that is left where the data of the scripts are. The database's own disk may be on another machine.
    func disk() -> Finding {
        let home = environment["ANTHILL_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? ".anthill"
        var rooms: [UInt: (path: String, free: Double, share: Double)] = [:]
        for path in [home, "\(home)/postgres", "\(home)/backups"] {
            var system = statvfs()
            guard statvfs(path, &system) == 0, system.f_blocks > 0, rooms[system.f_fsid] == nil else { continue }
            rooms[system.f_fsid] = (
                path, Double(system.f_bavail) * Double(system.f_frsize) / 1e9,
                Double(system.f_bavail) / Double(system.f_blocks)
            )
        }
        guard let least = rooms.values.min(by: { $0.share < $1.share }) else {
            return Finding("disk", .warning, "there is no folder \(home): set ANTHILL_HOME")
        }
        let status: Health.Status = least.share < 0.03 ? .critical : least.share < 0.1 ? .warning : .ok
        let percent = Int(least.share * 100)
        let free = least.free.formatted(.number.precision(.fractionLength(1)).locale(Locale(identifier: "en_US_POSIX")))
        return Finding("disk", status, "\(free) GB (\(percent) %) are free in \(least.path)")
    }

    /// The machine's clock against the database's. Half of the round trip may be on either side.
    func clock(_ database: Database) async throws -> Finding {
        let before = Date.now.timeIntervalSince1970
        let theirs = try await database.read("SELECT extract(epoch FROM clock_timestamp())::float8").one
            .decode(Double.self)
        let after = Date.now.timeIntervalSince1970
        let apart = abs(theirs - (before + after) / 2) - (after - before) / 2
        let status: Health.Status = apart > 60 ? .critical : apart > 2 ? .warning : .ok
        let said = status == .ok ? "agrees with the database's" : "is \(Int(apart.rounded(.up))) s from the database's"
        return Finding("clock", status, "this machine's clock \(said)")
    }
}
