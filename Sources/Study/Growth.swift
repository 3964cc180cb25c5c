import Postgres

/// The picture that grows with a study day; which one, the database decides by the day's whole minutes.
package enum Growth: String, Sendable, Encodable, PostgresDecodable {
    case seed, sprout, apple, tree
}
