import HTTP
import Postgres

extension Request {
    /// The path parameter `{name}` as a UUID; throws `404 not_found` for anything else.
    package func uuid(_ name: String) throws -> ID {
        guard let id = ID(parameter(name)) else { throw Problem.notFound }
        return id
    }
}

extension Fields {
    package func uuid(_ name: String) throws -> ID { try text(name, as: ID.init) }
    package func optionalUUID(_ name: String) throws -> ID? { try optionalText(name, as: ID.init) }

    /// A list of UUIDs.
    package func optionalUUIDs(_ name: String) throws -> [ID]? { try optionalTexts(name, as: ID.init) }
}
