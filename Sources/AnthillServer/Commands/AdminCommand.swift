import Foundation
import Postgres

/// What an admin asks for at a terminal: `anthill admin …`.
struct AdminCommand: Equatable {
    enum Task: Equatable {
        case doctor(isQuick: Bool)
        case mailTest(address: String)
        case showUser(String)
        case change(Change, of: String, reason: String)
        case stopOverdueTimers
        case makeAdmin(String)
        case removeAdmin(String)
        case link(to: String)
    }

    let task: Task
    /// The admin's name, if it is another than that of their login.
    var by: String?
    var isJSON = false

    /// Runs it, and returns the exit status.
    func run(_ environment: [String: String]) async throws -> Int32 {
        do {
            switch task {
            case .doctor(let isQuick):
                let health = await Doctor(environment).health(isQuick: isQuick)
                try health.answer.say(isJSON)
                return health.status.exitStatus
            case .mailTest(let address): try AdminCommand.mailTest(to: address, environment).say(isJSON)
            case .showUser(let who): try await AdminCommand.showUser(who, environment).say(isJSON)
            case .change(let change, let who, let reason):
                try await make(change, of: who, reason, environment).say(isJSON)
            case .stopOverdueTimers: try await AdminCommand.stopOverdueTimers(environment).say(isJSON)
            case .makeAdmin(let who): try await makeAdmin(who, environment).say(isJSON)
            case .removeAdmin(let who): try await removeAdmin(who, environment).say(isJSON)
            case .link(let address): try await Command.link(to: address, environment).say(isJSON)
            }
            return 0
        } catch {
            let failure = Failure(error)
            if isJSON { try Answer("", ["error": failure.description]).say(true) }
            throw failure
        }
    }

    /// Why a command did nothing, in a sentence for the admin.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ error: any Error) {
            let refusal = error as? PostgresError
            // What a function of ours refuses is for the admin to read. Other errors of the database may repeat values.
            description = refusal?.constraint == nil ? "\(error)" : refusal!.unredacted
        }

        init(_ description: String) { self.description = description }
    }

    /// Whether these words are a command once a reason is given.
    static func lacksReason(_ words: String) -> Bool {
        Command.admin(words.split(separator: " ").map(String.init) + ["--reason", "…"]) != nil
    }

    static let usage = """
        usage: anthill admin doctor [--quick]
                                  look at the configuration, the database, the machine, mail, backups and all rows;
                                  --quick leaves out the rows, which takes long in a large database
               anthill admin mail-test EMAIL
                                  send a mail now and say what became of it
               anthill admin link EMAIL
                                  the same as anthill link
               anthill admin user show EMAIL|UID
                                  print what there is to know about a user
               anthill admin user suspend EMAIL|UID --reason TEXT
                                  sign a user out, and let them in no more
               anthill admin user restore EMAIL|UID --reason TEXT
                                  let a suspended user in again
               anthill admin stop-timers
                                  end the timers that have run longer than a timer may, as the service does by
                                  itself; each owner then says when it really stopped
               anthill admin stop-timers EMAIL|UID --reason TEXT
                                  stop the timer of a user now; it cannot be undone
               anthill admin make-admin EMAIL|UID
                                  let a user look after the whole service on its pages
               anthill admin remove-admin EMAIL|UID
                                  take that back

        Each takes --json, which prints one JSON object instead of text. A change is written to the audit with the
        reason, which the user can read, and your name: the one of your login, or --by NAME. It prints how to undo it,
        or that it cannot be undone.

        Exit status: 0 done or all well, 1 failed or a warning, 2 critical, or a command that cannot be read.
        """
}

extension Command {
    /// `admin …`; nil for anything else.
    static func admin(_ words: [String]) -> Command? {
        guard words.first == "admin", var options = AdminOptions(words.dropFirst()) else { return nil }
        let isJSON = options.take(flag: "--json")
        let task: AdminCommand.Task
        var by: String?
        let changes: [String: AdminCommand.Change] = [
            "user suspend": .suspend, "user restore": .restore, "stop-timers": .stopTimer,
        ]
        switch (options.name, options.subject) {
        case ("doctor", nil): task = .doctor(isQuick: options.take(flag: "--quick"))
        case ("mail-test", let address?): task = .mailTest(address: address)
        case ("user show", let who?): task = .showUser(who)
        case ("make-admin", let who?), ("remove-admin", let who?):
            by = options.take("--by")
            task = options.name == "make-admin" ? .makeAdmin(who) : .removeAdmin(who)
        case ("stop-timers", nil): task = .stopOverdueTimers
        case ("user suspend", let who?), ("user restore", let who?), ("stop-timers", let who?):
            guard let reason = options.take("--reason") else { return nil }
            by = options.take("--by")
            task = .change(changes[options.name]!, of: who, reason: reason)
        case ("link", let address?): task = .link(to: address)
        default: return nil
        }
        return options.isEmpty ? .admin(AdminCommand(task: task, by: by, isJSON: isJSON)) : nil
    }
}

/// Words, and options between them in any order, each at most once.
struct AdminOptions {
    private var words: [String] = []
    private var flags: Set<String> = []
    private var values: [String: String] = [:]

    /// What is to be done.
    var name: String { (words.count > 1 ? words.dropLast() : words).joined(separator: " ") }
    /// To whom or what: the last word, if there is more than one.
    var subject: String? { words.count > 1 ? words.last : nil }
    /// Whether all options were taken.
    var isEmpty: Bool { flags.isEmpty && values.isEmpty }

    /// nil when an option comes twice, is unknown or lacks its value.
    init?(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let word = rest.next() {
            switch word {
            case "--json", "--quick": guard flags.insert(word).inserted else { return nil }
            case "--reason", "--by":
                guard let value = rest.next(), !value.trimmingCharacters(in: .whitespaces).isEmpty,
                    values.updateValue(value, forKey: word) == nil
                else { return nil }
            default:
                guard !word.hasPrefix("-") else { return nil }
                words.append(word)
            }
        }
    }

    mutating func take(flag: String) -> Bool { flags.remove(flag) != nil }
    mutating func take(_ option: String) -> String? { values.removeValue(forKey: option) }
}
