import Foundation
import Postgres

/// The database's schema as the program carries it: the files beside this one.
package enum Schema {
    /// The files of functions that come before the tables, in this order: tables call them in defaults and constraints, and
    /// triggers and views of other files build upon them.
    private static let first = ["numbers.sql", "clock.sql", "refusals.sql"]

    /// Throws ``PostgresError`` if the files are not in order.
    package static func migrations() throws -> Migrations {
        try Migrations(tables: folder("tables"), functions: folder("functions"), first: first)
    }

    /// What `rule_numbers()` tells, by name; for a database that has this schema.
    package static func ruleNumbers(_ database: Database) async throws -> [String: Int] {
        let rows = try await database.read("SELECT name, value FROM rule_numbers()")
        return Dictionary(uniqueKeysWithValues: try rows.map { try $0.decode(String.self, Int.self) })
    }

    private static func folder(_ name: String) -> URL { Bundle.module.url(forResource: name, withExtension: nil)! }
}
