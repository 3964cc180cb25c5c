import Foundation
import Postgres
import Reactor
import Schema

/// What the program was asked to do.
enum Command: Equatable {
    case serve
    case migrate
    case help
    case unknown(String)

    init(_ arguments: some Sequence<String>) {
        switch Array(arguments) {
        case ["serve"]: self = .serve
        case ["migrate"]: self = .migrate
        case [], ["help"], ["-h"], ["--help"]: self = .help
        case let other: self = .unknown(other.joined(separator: " "))
        }
    }

    func run(environment: [String: String]) async throws {
        switch self {
        case .serve:
            try await Service(Config(environment: environment)).run()
        case .migrate:
            try await Command.migrate(Config.databaseURL(environment["DATABASE_URL"]))
        case .help:
            say(Command.usage)
        case .unknown(let words):
            FileHandle.standardError.write(Data("anthill: there is no command '\(words)'\n\(Command.usage)\n".utf8))
            exit(2)
        }
    }

    private static func migrate(_ url: String) async throws {
        let group = EventLoopGroup(count: 1)
        group.start()
        let database = Database(url: url, group: group, lanes: .onDemand)
        try await database.start()
        try await Migrations(folder: Schema.migrations).run(on: database)
        say("The schema is current.")
        await database.stop()
        group.stop()
    }

    static var usage: String {
        let variables = Config.variables.map {
            "  \($0.name.padding(toLength: 24, withPad: " ", startingAt: 0))  \($0.meaning)"
        }
        return """
            usage: anthill serve      serve the API and the pages
                   anthill migrate    bring the database's schema up to date
                   anthill --help     this text

            Environment:
            \(variables.joined(separator: "\n"))
            """
    }
}

/// Tells the person who started the program, at once even when no terminal listens.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}
