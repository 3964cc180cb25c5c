import Postgres
import Schema

extension Command {
    /// `migrate [--keep-sign-ins]`
    static func migrate(keepSignIns: Bool, _ environment: [String: String]) async throws {
        let home = try await on(environment, as: .owner) { database in
            for sentence in try await Schema.migrations().run(on: database) { say(sentence) }
            return try await Schema.settle(database, keepSignIns: keepSignIns)
        }
        switch home {
        case .new, .same: break
        case .signInsEnded:
            say(
                "The database was restored or copied: all sign-ins, keys, links, invitations, badges and addresses for "
                    + "calendars have ended.")
        case .signInsKept: say("The database was restored or copied: sign-ins go on, as you wished.")
        }
        say("The schema is current.")
    }
}
