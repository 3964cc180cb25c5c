import HTTP
import Postgres

/// Its raw value in a text column.
extension Language: PostgresDecodable {}
