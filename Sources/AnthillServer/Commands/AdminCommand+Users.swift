import Accounts
import Foundation
import Postgres
import Time

extension AdminCommand {
    /// What there is to know about a user.
    static func showUser(_ who: String, _ environment: [String: String]) async throws -> Answer {
        let json = try await Command.on(environment, as: .admin) { database in
            try await database.read("SELECT admin_user(\(find(who)))::text").one.decode(String.self)
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return Answer(try decoder.decode(UserOverview.self, from: Data(json.utf8)).text, json: json)
    }

    /// An address in the form in which the database knows it; anything else as it is.
    static func find(_ who: String) -> String { EmailAddress(who)?.canonical ?? who }
}

/// What `admin_user` tells.
private struct UserOverview: Decodable {
    struct Group: Decodable {
        let id: String
        let name: String
        let role: String
    }
    /// From the boards of a group or, without one, from the service's own.
    struct Suspension: Decodable {
        let group: String?
        let until: Instant
        let reason: String
    }
    struct Event: Decodable {
        let at: Instant
        let kind: String
    }
    let uid: String
    let nickname: String
    let status: String
    let email: String?
    let emailRefusedSince: Instant?
    let hasPassword: Bool
    let providers: [String]
    let createdAt: Instant
    let leavesAt: Instant?
    let signIns: Int
    let lastSeenAt: Instant?
    let timeZone: String
    let timerState: String?
    let timerStartedAt: Instant?
    let lastStudiedAt: Instant?
    let globalBoard: Bool
    let isSiteAdmin: Bool
    let suspensions: [Suspension]
    let groups: [Group]
    let events: [Event]

    var text: String {
        let refused = emailRefusedSince.map { " (refuses mail since \($0))" } ?? ""
        let ways = (hasPassword ? ["password"] : []) + providers
        let leaving = leavesAt.map { ", will be deleted at \($0)" } ?? ""
        let suspended = suspensions.map {
            "from \($0.group ?? "the global board and the board of groups") until \($0.until): \($0.reason)"
        }
        let memberships = groups.map { "\($0.name) (\($0.role)) \($0.id)" }
        let timer = timerState.map { "\($0), started at \(timerStartedAt?.description ?? "?")" }
        return """
            \(nickname) (\(uid))
              address       \(email ?? "none")\(refused)
              status        \(status)\(leaving)
              registered    \(createdAt)
              signs in by   \(ways.isEmpty ? "nothing" : ways.joined(separator: ", "))
              devices       \(signIns)\(lastSeenAt.map { ", last seen at \($0)" } ?? "")
              time zone     \(timeZone)
              timer         \(timer ?? "none")
              last studied  \(lastStudiedAt?.description ?? "never")
              global board  \(globalBoard ? "yes" : "no")
              suspended     \(suspended.isEmpty ? "no" : suspended.joined(separator: "\n                "))
              site admin    \(isSiteAdmin ? "yes" : "no")
              groups        \(memberships.isEmpty ? "none" : memberships.joined(separator: "\n                "))
              last events   \(events.map { "\($0.at) \($0.kind)" }.joined(separator: "\n                "))
            """
    }
}
