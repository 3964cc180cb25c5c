import Foundation

/// The database's schema as the program carries it.
package enum Schema {
    /// The folder of `NNN_topic.sql` files, to be applied in the order of their names.
    package static let migrations = Bundle.module.url(forResource: "migrations", withExtension: nil)!
}
