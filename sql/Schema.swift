import Foundation
import Postgres

/// The database's schema as the program carries it: the files beside this one.
package enum Schema {
    /// The files of functions that come before the tables, in this order: tables call them in defaults and constraints, and
    /// triggers and views of other files build upon them.
    private static let first = ["numbers.sql", "clock.sql", "refusals.sql", "letters.sql"]

    /// Throws ``PostgresError`` if the files are not in order.
    package static func migrations() throws -> Migrations {
        try Migrations(
            tables: folder("tables"), functions: folder("functions"), first: first, rights: "SELECT grant_rights()")
    }

    /// What the program's role may do in the database although the program does not need it.
    package static func rightsBeyondNeed(_ database: Database) async throws -> [String] {
        try await database.read("SELECT rights_beyond_need()").decode(String.self)
    }

    /// What `rule_numbers()` tells, by name; for a database that has this schema.
    package static func ruleNumbers(_ database: Database) async throws -> [String: Int] {
        let rows = try await database.read("SELECT name, value FROM rule_numbers()")
        return Dictionary(uniqueKeysWithValues: try rows.map { try $0.decode(String.self, Int.self) })
    }

    /// What ``settle(_:keepSignIns:)`` has found and done.
    package enum Home: String, Sendable {
        /// The database had no home yet, or it is there.
        case new, same
        /// It was restored or copied. All sign-ins have ended, or were kept because that was wanted.
        case signInsEnded = "sign_ins_ended"
        case signInsKept = "sign_ins_kept"
    }

    /// Makes the place where the database is its home. A database that was restored or copied loses all sign-ins, unless
    /// they are to be kept.
    package static func settle(_ database: Database, keepSignIns: Bool) async throws -> Home {
        let word = try await database.slowTransaction {
            try await database.write("SELECT settle_at_home(\(keepSignIns))").one.decode(String.self)
        }
        guard let home = Home(rawValue: word) else { preconditionFailure("settle_at_home has no word \(word)") }
        return home
    }

    /// Throws ``Away`` for a database that was restored or copied since it was last used.
    package static func checkHome(_ database: Database) async throws {
        guard try await database.read("SELECT is_at_home()").one.decode(Bool.self) else { throw Away() }
    }

    package struct Away: Error, CustomStringConvertible {
        package let description =
            "the database was restored or copied: run anthill migrate, which ends all sign-ins, "
            + "or anthill migrate --keep-sign-ins"
    }

    /// The text of a script that admins run.
    package static func maintenance(_ name: String) throws -> String {
        try String(contentsOf: folder("maintenance").appending(path: name), encoding: .utf8)
    }

    private static func folder(_ name: String) -> URL { Bundle.module.url(forResource: name, withExtension: nil)! }
}
