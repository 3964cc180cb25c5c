import Foundation
import Pictures

/// What the program was asked to do. Each command is in a file of its own, beside this one.
enum Command: Equatable {
    case serve
    case migrate(keepSignIns: Bool)
    case invite(uses: Int?, days: Int?)
    case endInvitations
    case bounce
    case admin(AdminCommand)
    case demo(users: Int, force: Bool)
    case demoGroup
    /// What the service starts for each picture: it is not for people.
    case picture(side: Int, mostPixels: Int)
    case help
    case adminHelp
    case version
    case unknown(String)

    init(_ arguments: some Sequence<String>) {
        let words = Array(arguments)
        switch words {
        case ["serve"]: self = .serve
        case ["migrate"]: self = .migrate(keepSignIns: false)
        case ["migrate", "--keep-sign-ins"]: self = .migrate(keepSignIns: true)
        case ["bounce"]: self = .bounce
        case ["demo", "--group"]: self = .demoGroup
        case [], ["help"], ["-h"], ["--help"]: self = .help
        case ["version"], ["--version"]: self = .version
        case ["admin"], ["admin", "help"], ["admin", "-h"], ["admin", "--help"]: self = .adminHelp
        default:
            self =
                Command.door(words) ?? Command.admin(words) ?? Command.demo(words) ?? Command.picture(words)
                ?? .unknown(words.joined(separator: " "))
        }
    }

    /// Runs it, and returns the exit status.
    func run(environment: [String: String]) async throws -> Int32 {
        switch self {
        case .serve:
            let service = try Service(Config(environment: environment), Systemd(environment: environment))
            try await DatabaseAddress(environment).blamed { try await service.run() }
        case .migrate(let keepSignIns): try await Command.migrate(keepSignIns: keepSignIns, environment)
        case .invite(let uses, let days): try await Command.invite(uses: uses, days: days, environment)
        case .endInvitations: try await Command.endInvitations(environment)
        case .bounce: return try await Command.bounce(environment)
        case .admin(let command): return try await command.run(environment)
        case .demo(let users, let force): try await Command.demo(users: users, force: force, environment)
        case .demoGroup: try await Command.demoGroup(environment)
        case .picture(let side, let mostPixels): PictureProcess.run(side: side, mostPixels: mostPixels)
        case .help: say(Command.usage)
        case .adminHelp: say(AdminCommand.usage)
        case .version: say("anthill \(programVersion)")
        case .unknown(let words):
            let help = words.hasPrefix("admin ") ? "anthill admin --help" : "anthill --help"
            let unknown = "no such command, or it does not take these words"
            let reason = AdminCommand.lacksReason(words) ? "give --reason TEXT" : unknown
            FileHandle.standardError.write(Data("anthill: cannot read '\(words)': \(reason); see \(help)\n".utf8))
            return 2
        }
        return 0
    }

    /// `picture SIDE PIXELS`; nil for anything else.
    private static func picture(_ words: [String]) -> Command? {
        guard words.first == "picture", words.count == 3, let side = Int(words[1]), let mostPixels = Int(words[2]),
            side > 0, mostPixels > 0
        else { return nil }
        return .picture(side: side, mostPixels: mostPixels)
    }

    static var usage: String {
        let variables = Config.variables.map {
            "  \($0.name.padding(toLength: 24, withPad: " ", startingAt: 0))  \($0.meaning)"
        }
        return """
            usage: anthill serve      serve the API and the pages
                   anthill migrate [--keep-sign-ins]
                                      bring the database's schema up to date. If the database was restored or
                                      copied, all sign-ins end, unless you keep them
                   anthill link EMAIL make a link to register with, or to choose a new password, and print it
                   anthill invite [--uses N] [--days N]
                                      make an invitation to the service, and print its link. Without --uses any
                                      number of people may use it; a number that is too large is refused with the
                                      largest that is allowed
                   anthill invite --end
                                      end all invitations to the service
                   anthill bounce     read a mail that came back, and note that its address takes none;
                                      exit status 3 if it is another mail
                   anthill admin …    look after users, timers, mail and the service; anthill admin --help
                   anthill demo --users N [--force]
                                      fill the global board with N users, for measurements
                   anthill demo --group
                                      make a group of twelve with six weeks of study, and print how to sign in
                   anthill --help     print this
                   anthill --version  print the version

            Environment:
            \(variables.joined(separator: "\n"))
            """
    }
}
