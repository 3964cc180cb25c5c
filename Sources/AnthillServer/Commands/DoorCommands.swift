import API
import Accounts
import Groups
import Schema

/// What the operator does to let people in.
extension Command {
    /// `link EMAIL`, `invite [--uses N] [--days N]` and `invite --end`; nil for anything else.
    static func door(_ words: [String]) -> Command? {
        if words.count == 2, words[0] == "link", !words[1].hasPrefix("-") {
            return .admin(AdminCommand(task: .link(to: words[1])))
        }
        if words == ["invite", "--end"] { return .endInvitations }
        guard words.first == "invite", words.count % 2 == 1 else { return nil }
        var numbers: [String: Int] = [:]
        for place in stride(from: 1, to: words.count, by: 2) {
            guard ["--uses", "--days"].contains(words[place]), numbers[words[place]] == nil,
                let number = Int(words[place + 1])
            else { return nil }
            numbers[words[place]] = number
        }
        return .invite(uses: numbers["--uses"], days: numbers["--days"])
    }

    static func link(to address: String, _ environment: [String: String]) async throws -> Answer {
        let (secret, baseURL) = (try Config.secret(environment["ANTHILL_SECRET"]), try Config.baseURL(of: environment))
        let link = try await on(environment) { database in
            RuleNumbers.current = try RuleNumbers(await Schema.ruleNumbers(database))
            let links = OperatorLinks(database: database, secret: Secret(secret), baseURL: baseURL)
            return try await links.link(for: address)
        }
        switch link {
        case .registration(let url, let seconds):
            return try Answer(
                "\(url)\nRegisters \(address). It works once, within \(seconds / 3600) hours.",
                MadeLink(url: url, purpose: "registration", seconds: seconds))
        case .passwordReset(let url, let seconds):
            return try Answer(
                "\(url)\nChooses a new password for \(address). It works once, within \(seconds / 60) minutes.",
                MadeLink(url: url, purpose: "password_reset", seconds: seconds))
        }
    }

    private struct MadeLink: Encodable {
        let url: String
        let purpose: String
        let seconds: Int
    }

    static func invite(uses: Int?, days: Int?, _ environment: [String: String]) async throws {
        let baseURL = try Config.baseURL(of: environment)
        try await on(environment) { database in
            let invitations = ServiceInvitations(database: database, baseURL: baseURL)
            let (url, expiresAt) = try await invitations.make(uses: uses, days: days)
            let people = uses.map { $0 == 1 ? "one person" : "\($0) people" } ?? "any number of people"
            say("\(url)\nInvites \(people) to the service, until \(expiresAt).")
        }
    }

    static func endInvitations(_ environment: [String: String]) async throws {
        let baseURL = try Config.baseURL(of: environment)
        try await on(environment) { database in
            let ended = try await ServiceInvitations(database: database, baseURL: baseURL).endAll()
            switch ended {
            case 0: say("No invitation to the service was open.")
            case 1: say("One invitation to the service has ended.")
            default: say("\(ended) invitations to the service have ended.")
            }
        }
    }
}
