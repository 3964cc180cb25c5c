import API
import HTTP
import Postgres
import Time

/// What somebody says their study is for: a subject, a project or a task.
protocol StudyLabel: Sendable, Encodable {
    /// Its name in the schema's functions, and with an `s` that of its list.
    static var kind: String { get }
    /// The column by which its lists are ordered.
    static var order: String { get }
    /// Answers rows that ``init(_:)`` reads.
    static func query(_ selection: LabelSelection) -> Query
    var id: ID { get }
    init(_ row: Row) throws
}

/// A subject or a project.
protocol ColouredLabel: StudyLabel {
    var name: String { get }
    var colour: Colour { get }
}

/// Which labels of a person are asked for; nil stands for any.
struct LabelSelection {
    let uid: ID
    var id: ID?
    var isArchived: Bool?
    /// For tasks: those in it, and whether they are done.
    var project: ID?
    var isDone: Bool?
    /// The last one of the page before.
    var after: (instant: Instant, id: ID)?
    let limit: Int

    init(uid: ID, limit: Int) {
        self.uid = uid
        self.limit = limit
    }
}

/// Which part of a list is asked for by `?archived=`: what is not archived unless that says `true` or `all`.
struct ArchivedFilter {
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

/// A change of a subject or a project; nil leaves a field as it is.
struct LabelChange {
    let name: String?
    let colour: Colour?
    let archived: Bool?

    init(_ fields: Fields) throws {
        name = try fields.optionalString("name").map(LabelText.name)
        colour = try fields.optionalString("colour").map(LabelText.colour)
        archived = try fields.optionalBool("archived")
    }
}

/// The words and colours by which people tell labels apart.
enum LabelText {
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
