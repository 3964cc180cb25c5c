import Foundation
import Postgres

/// Where the database is, for one of those who sign in there, and the variable that says so.
struct DatabaseAddress {
    /// The service itself; admins, who change data through functions; the owner of the tables, who migrates.
    enum Login: String {
        case service = "DATABASE_URL"
        case admin = "DATABASE_ADMIN_URL"
        case owner = "DATABASE_OWNER_URL"
    }

    /// Who wanted to sign in.
    let login: Login
    let variable: String
    let url: String

    /// Throws the name of a variable that is missing or no address.
    init(_ environment: [String: String], for login: Login = .service) throws(Config.Refusal) {
        self.login = login
        let given = [login, .service].first { environment[$0.rawValue]?.isEmpty == false }
        variable = (given ?? .service).rawValue
        guard given != nil else { throw Config.Refusal(variable: variable, reason: "is missing") }
        url = environment[variable]!
        try Self.check(url, variable)
    }

    private static let ofReplicas = "ANTHILL_REPLICA_URL"

    /// The standbys, if there are any.
    static func replicas(_ environment: [String: String]) throws(Config.Refusal) -> String? {
        guard let url = environment[ofReplicas], !url.isEmpty else { return nil }
        try check(url, ofReplicas)
        return url
    }

    private static func check(_ url: String, _ variable: String) throws(Config.Refusal) {
        guard ["postgresql://", "postgres://"].contains(where: url.hasPrefix) else {
            throw Config.Refusal(variable: variable, reason: "must begin with postgresql://")
        }
        do { _ = try Database.serverCount(of: url) } catch {
            throw Config.Refusal(variable: variable, reason: "\(error)")
        }
    }

    /// The role that signs in there; nil when the address leaves it to libpq.
    var role: String? {
        guard let user = url.firstMatch(of: /^postgres(?:ql)?:\/\/([^:@\/?]+)(?::[^@\/?]*)?@/) else { return nil }
        return String(user.1).removingPercentEncoding
    }

    /// What `body` throws, with the name of the variable where the address is to blame.
    func blamed<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as PostgresError {
            if error.isOfPooler {
                throw Self.pooled(variable)
            } else if error.sqlstate.hasPrefix("08") {
                throw Config.Refusal(variable: variable, reason: "leads nowhere: \(error)")
            } else if error.sqlstate == "42501", variable != login.rawValue {
                throw Config.Refusal(
                    variable: login.rawValue, reason: "is missing, and the role of \(variable) may not do this")
            }
            throw error
        } catch is Database.PooledReplica {
            throw Self.pooled(Self.ofReplicas)
        }
    }

    private static func pooled(_ variable: String) -> Config.Refusal {
        Config.Refusal(
            variable: variable,
            reason: "leads to a connection pooler such as PgBouncer, behind which timeouts do not hold "
                + "and statements get mixed up: name the PostgreSQL server itself")
    }
}
