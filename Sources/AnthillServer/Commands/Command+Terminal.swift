import HTTP
import Foundation
import Postgres
import Reactor

/// What commands need of the terminal and of the database.
extension Command {
    /// Runs `body` with the database, `withReplicas` if there are any, and closes it, whatever happens.
    static func on<T: Sendable>(
        _ environment: [String: String], as login: DatabaseAddress.Login = .service, withReplicas: Bool = false,
        _ body: (Database) async throws -> T
    ) async throws -> T {
        let address = try DatabaseAddress(environment, for: login)
        let replicas = withReplicas ? try DatabaseAddress.replicas(environment) : nil
        let group = EventLoopGroup(count: 1)
        group.start()
        let database = Database(url: address.url, replicas: replicas, group: group, lanes: .onDemand)
        let outcome: Result<T, any Error>
        do {
            try await database.start()
            outcome = .success(try await body(database))
        } catch {
            outcome = .failure(error)
        }
        await database.stop()
        group.stop()
        return try await address.blamed { try outcome.get() }
    }

    /// The language of the person at the terminal.
    static func language(_ environment: [String: String]) -> Language {
        let speech = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return speech?.hasPrefix("ko") == true ? .ko : .en
    }
}

/// What a command has to say: for a person, and as JSON for a program.
struct Answer: Sendable {
    let text: String
    let json: String

    init(_ text: String, json: String) {
        self.text = text
        self.json = json
    }

    init(_ text: String, _ facts: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        self.init(text, json: String(decoding: try encoder.encode(facts), as: UTF8.self))
    }

    func say(_ isJSON: Bool) { AnthillServer.say(isJSON ? json : text) }
}

/// Tells the person who started the program, at once even when no terminal listens; nobody, when there is no such person
/// any more.
func say(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}
