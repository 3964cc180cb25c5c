import Accounts
import Foundation
import HTTP
import Pictures
import Postgres
import Reactor
import Schema

/// What the program was asked to do.
enum Command: Equatable {
    case serve
    case migrate
    case demo(users: Int, force: Bool)
    case demoGroup
    case link(address: String)
    case invite(uses: Int?, days: Int?)
    /// What the service starts for each picture: it is not for people.
    case picture(side: Int, mostPixels: Int)
    case help
    case unknown(String)

    init(_ arguments: some Sequence<String>) {
        let words = Array(arguments)
        switch words {
        case ["serve"]: self = .serve
        case ["migrate"]: self = .migrate
        case ["demo", "--group"]: self = .demoGroup
        case [], ["help"], ["-h"], ["--help"]: self = .help
        default:
            self =
                Command.demo(words) ?? Command.door(words) ?? Command.picture(words)
                ?? .unknown(words.joined(separator: " "))
        }
    }

    func run(environment: [String: String]) async throws {
        switch self {
        case .serve:
            try await Service(Config(environment: environment)).run()
        case .migrate:
            try await Command.migrate(Config.databaseURL(environment["DATABASE_URL"]))
        case .demo(let users, let force):
            try await Command.demo(Config.databaseURL(environment["DATABASE_URL"]), users: users, force: force)
        case .demoGroup:
            let speech = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
            try await Command.demoGroup(
                Config.databaseURL(environment["DATABASE_URL"]), secret: Config.secret(environment["ANTHILL_SECRET"]),
                in: speech?.hasPrefix("ko") == true ? .ko : .en)
        case .link(let address):
            try await Command.link(to: address, environment)
        case .invite(let uses, let days):
            try await Command.invite(uses: uses, days: days, environment)
        case .picture(let side, let mostPixels):
            PictureProcess.run(side: side, mostPixels: mostPixels)
        case .help:
            say(Command.usage)
        case .unknown(let words):
            FileHandle.standardError.write(Data("anthill: there is no command '\(words)'\n\(Command.usage)\n".utf8))
            exit(2)
        }
    }

    /// `demo --users N [--force]`; nil for anything else.
    private static func demo(_ words: [String]) -> Command? {
        guard words.starts(with: ["demo", "--users"]), words.count == 3 || words.dropFirst(3) == ["--force"],
            let users = Int(words[2]), (1...10_000_000).contains(users)
        else { return nil }
        return .demo(users: users, force: words.count == 4)
    }

    /// `picture SIDE PIXELS`; nil for anything else.
    private static func picture(_ words: [String]) -> Command? {
        guard words.first == "picture", words.count == 3, let side = Int(words[1]), let mostPixels = Int(words[2]),
            side > 0, mostPixels > 0
        else { return nil }
        return .picture(side: side, mostPixels: mostPixels)
    }

    private static func migrate(_ url: String) async throws {
        try await on(url) { try await Schema.migrations().run(on: $0) }
        say("The schema is current.")
    }

    private static func demo(_ url: String, users: Int, force: Bool) async throws {
        try await on(url) { database in
            try await Demo(database: database, users: users).fill(force: force) { count in
                if count % 100_000 == 0 || count == users { say("\(count) users") }
            }
        }
    }

    private static func demoGroup(_ url: String, secret: String, in language: Language) async throws {
        try await on(url) { database in
            let password = SecretPassword(database: database, secret: Secret(secret), hasher: PasswordHasher())
            let group = DemoGroup(database: database, password: password, language: language)
            say(
                """
                There is a group of twelve to look around in, with six weeks of study. Sign in with
                  e-mail    \(DemoGroup.address)
                  password  \(try await group.open())
                """)
        }
    }

    /// Runs `body` with the database and closes it, whatever happens.
    static func on(_ url: String, _ body: (Database) async throws -> Void) async throws {
        let group = EventLoopGroup(count: 1)
        group.start()
        let database = Database(url: url, group: group, lanes: .onDemand)
        let outcome: Result<Void, any Error>
        do {
            try await database.start()
            outcome = .success(try await body(database))
        } catch {
            outcome = .failure(error)
        }
        await database.stop()
        group.stop()
        try outcome.get()
    }

    static var usage: String {
        let variables = Config.variables.map {
            "  \($0.name.padding(toLength: 24, withPad: " ", startingAt: 0))  \($0.meaning)"
        }
        return """
            usage: anthill serve      serve the API and the pages
                   anthill migrate    bring the database's schema up to date
                   anthill link EMAIL make a link to register with, or to choose a new password, and print it
                   anthill invite [--uses N] [--days N]
                                      make an invitation to the service, and print its link
                   anthill demo --users N [--force]
                                      fill the global board with N users, for measurements
                   anthill demo --group
                                      make a group of twelve with six weeks of study, and print how to sign in
                   anthill --help     print this

            Environment:
            \(variables.joined(separator: "\n"))
            """
    }
}

/// Tells the person who started the program, at once even when no terminal listens; nobody, when there is no such person
/// any more.
func say(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}
