import Postgres

/// What an admin changes. The reason and the admin's name go into the audit.
extension AdminCommand {
    /// A change of one user, which has a number.
    enum Change: Equatable {
        case suspend, restore, stopTimer

        fileprivate func query(_ who: String, _ reason: String, _ name: String) -> Query {
            switch self {
            case .suspend: "SELECT admin_suspend_user(admin_find_user(\(who)), \(reason), \(name))"
            case .restore: "SELECT admin_restore_user(admin_find_user(\(who)), \(reason), \(name))"
            case .stopTimer: "SELECT admin_stop_timer(admin_find_user(\(who)), NULL, \(reason), \(name))"
            }
        }
    }

    /// The admin's name, by default the one of their login.
    func name(_ environment: [String: String]) throws -> String {
        let logins = ["SUDO_USER", "USER", "LOGNAME"].compactMap { environment[$0] }.filter { !$0.isEmpty }
        guard let name = by ?? logins.first else { throw Failure("say who you are: --by NAME") }
        return name
    }

    func make(_ change: Change, of who: String, _ reason: String, _ environment: [String: String]) async throws
        -> Answer
    {
        let query = change.query(AdminCommand.find(who), reason, try name(environment))
        return try await Command.on(environment, as: .admin) { database in
            let number = try await database.write(query).one.decode(Int.self)
            let result = try await database.read("SELECT admin_result(\(number))").one.decode(String.self)
            return try Answer(result, ["change": number])
        }
    }

    func makeAdmin(_ who: String, _ environment: [String: String]) async throws -> Answer {
        let name = try name(environment)
        return try await Command.on(environment, as: .admin) { database in
            let query: Query = "SELECT make_site_admin(admin_find_user(\(AdminCommand.find(who))), \(name))"
            let isNew = try await database.write(query).one.decode(Bool.self)
            let made = "\(who) is a site admin now. Undo with: anthill admin remove-admin \(who)"
            return try Answer(isNew ? made : "\(who) was a site admin already.", ["is_new": isNew])
        }
    }

    func removeAdmin(_ who: String, _ environment: [String: String]) async throws -> Answer {
        let name = try name(environment)
        return try await Command.on(environment, as: .admin) { database in
            let query: Query = "SELECT end_site_admin(admin_find_user(\(AdminCommand.find(who))), \(name))"
            let wasAdmin = try await database.write(query).one.decode(Bool.self)
            let ended = "\(who) is no site admin any more. Undo with: anthill admin make-admin \(who)"
            return try Answer(wasAdmin ? ended : "\(who) was no site admin.", ["was_admin": wasAdmin])
        }
    }

    /// Ends every timer that has run longer than a timer may, as the service does by itself.
    static func stopOverdueTimers(_ environment: [String: String]) async throws -> Answer {
        try await Command.on(environment, as: .admin) { database in
            var (stopped, round) = (0, 0)
            repeat {
                round = try await database.write("SELECT end_overdue_timers()").one.decode(Int.self)
                stopped += round
            } while round > 0
            let undoing = stopped > 0 ? " Their owners say when they really stopped." : ""
            return try Answer("Overdue timers that were stopped: \(stopped).\(undoing)", ["stopped": stopped])
        }
    }
}
