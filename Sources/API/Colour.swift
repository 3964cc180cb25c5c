import Postgres

/// The colours that a group, a subject or a project may have, by the names of the design.
package enum Colour: String, Sendable, Encodable, PostgresDecodable, CaseIterable {
    case leaf, honey, apple, soil, sky, plum, stone, moss

    /// All of them, for people.
    package static let names = allCases.map(\.rawValue).joined(separator: ", ")
}
