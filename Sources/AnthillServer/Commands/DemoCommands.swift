import Accounts
import Postgres

/// Test data.
extension Command {
    /// `demo --users N [--force]`; nil for anything else.
    static func demo(_ words: [String]) -> Command? {
        guard words.starts(with: ["demo", "--users"]), words.count == 3 || words.dropFirst(3) == ["--force"],
            let users = Int(words[2]), (1...10_000_000).contains(users)
        else { return nil }
        return .demo(users: users, force: words.count == 4)
    }

    static func demo(users: Int, force: Bool, _ environment: [String: String]) async throws {
        try await on(environment, as: .owner) { database in
            try await Demo(database: database, users: users).fill(force: force) { count in
                if count % 100_000 == 0 || count == users { say("\(count) users") }
            }
        }
    }

    static func demoGroup(_ environment: [String: String]) async throws {
        let secret = Secret(try Config.secret(environment["ANTHILL_SECRET"]))
        try await on(environment, as: .owner) { database in
            let password = SecretPassword(database: database, secret: secret, hasher: PasswordHasher())
            let group = DemoGroup(database: database, password: password, language: language(environment))
            say(
                """
                There is a group of twelve to look around in, with six weeks of study. Sign in with
                  email     \(DemoGroup.address)
                  password  \(try await group.open())
                """)
        }
    }
}
