import Foundation

/// The schema's history: the files `NNN_topic.sql` of a folder, in the order of their names.
package struct Migrations: Sendable {
    /// Reads the files. Throws if a name or the order is not as it should be.
    package init(folder: URL) throws {}

    /// Brings the schema up to date: each file once, in a transaction of its own, under a lock that others wait for.
    /// Throws ``PostgresError`` if the database knows a file that this program does not, or another text of it.
    package func run(on database: Database) async throws {}

    /// Throws ``PostgresError`` unless the schema is exactly what these files make.
    package func check(_ database: Database) async throws {}
}
