import API
import HTTP
import Postgres
import Time

/// What somebody studies: mathematics, Korean, the guitar.
package struct Subject: ColouredLabel {
    package let id: ID
    package let name: String
    package let colour: Colour
    /// No longer offered, but still in totals.
    package let archived: Bool
    package let createdAt: Instant
}

extension Subject {
    static let kind = "subject"
    /// The one used last first.
    static let order = "used_at"

    static func query(_ selection: LabelSelection) -> Query {
        """
        SELECT * FROM subjects_of(
          \(selection.uid), \(selection.id), \(selection.isArchived), \(selection.after?.instant),
          \(selection.after?.id), \(selection.limit))
        """
    }

    init(_ row: Row) throws {
        self.init(
            id: try row["id"], name: try row["name"], colour: try row["colour"], archived: try row["archived"],
            createdAt: try row["created_at"])
    }
}
