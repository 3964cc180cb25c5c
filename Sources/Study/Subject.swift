import API
import HTTP
import Postgres
import Time

/// What somebody studies: mathematics, Korean, the guitar.
package struct Subject: Sendable, Encodable {
    package let id: ID
    package let name: String
    package let colour: Colour
    /// No longer offered, but still in totals.
    package let archived: Bool
    package let createdAt: Instant
}

/// What a subject or a project is to become; what is nil stays as it is.
struct LabelChange {
    let name: String?
    let colour: Colour?
    let archived: Bool?

    init(_ fields: Fields) throws {
        name = try fields.optionalString("name").map(Label.name)
        colour = try fields.optionalString("colour").map(Label.colour)
        archived = try fields.optionalBool("archived")
    }
}

/// The words and colours by which people tell subjects, projects and tasks apart.
enum Label {
    /// Trimmed, 1–60 characters as the schema counts them; throws `invalid_name`.
    static func name(_ text: String) throws -> String {
        guard let name = PlainText.line(text, atMost: 60) else { throw Refusal.labels.invalidName }
        return name
    }

    /// The same for a task's title of 1–200 characters; throws `invalid_title`.
    static func title(_ text: String) throws -> String {
        guard let title = PlainText.line(text, atMost: 200) else { throw Refusal.labels.invalidTitle }
        return title
    }

    static func colour(_ text: String) throws -> Colour {
        guard let colour = Colour(rawValue: text) else { throw Refusal.labels.invalidColour }
        return colour
    }
}

/// Which part of a list is asked for by `?archived=`: what is not archived unless that says `true` or `all`.
struct Shelf {
    /// nil for all.
    let isArchived: Bool?

    init(_ request: Request) throws {
        switch request.query["archived"] {
        case nil, "false": isArchived = false
        case "true": isArchived = true
        case "all": isArchived = nil
        default: throw Refusal.labels.invalidArchived
        }
    }
}
