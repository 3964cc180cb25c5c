import Foundation
import Postgres

/// The database's schema as the program carries it: the files beside this one.
package enum Schema {
    /// The files of functions that tables call in defaults and constraints, and that therefore come before the tables.
    private static let calledByTables = ["numbers.sql", "clock.sql"]

    /// Throws ``PostgresError`` if the files are not in order.
    package static func migrations() throws -> Migrations {
        try Migrations(tables: folder("tables"), functions: folder("functions"), calledByTables: calledByTables)
    }

    private static func folder(_ name: String) -> URL { Bundle.module.url(forResource: name, withExtension: nil)! }
}
