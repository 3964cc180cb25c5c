/// Why the database did not do what was asked. What it prints never holds a bound value.
package struct PostgresError: Error, Sendable {
    package enum Kind: Sendable, Equatable {
        /// The server refused a statement.
        case server
        /// The connection was lost, or there is none: what was in flight may or may not have been committed.
        case connection
        /// Too much is waiting already, or it waited too long; it was not sent.
        case overloaded
        /// A value does not fit the type it was read as or sent as.
        case value
        /// The schema is not the one this program was built for.
        case schema
        /// The program used this module against its rules, or the server is not fit to be used.
        case usage
    }

    package let kind: Kind
    /// Five characters, as in the server's appendix A; also given to errors that begin here.
    package let sqlstate: String
    /// The name of the constraint that was violated, as the schema has it.
    package let constraint: String?
    package let table: String?
    package let column: String?
    /// What else the server or a function of ours tells of the refusal; it may hold bound values, so it is for no log.
    package let facts: String?
    /// What the server says, which may quote bound values: for tests and for an admin at a terminal, never for a
    /// log.
    package let unredacted: String
    /// What may be printed.
    let message: String
    /// The server's own function that refused; unlike the message it is never translated.
    let routine: String?
    /// Where in a script the server stopped, in characters from 1.
    let position: Int?

    init(
        _ kind: Kind, _ sqlstate: String, _ message: String, unredacted: String? = nil, constraint: String? = nil,
        table: String? = nil, column: String? = nil, facts: String? = nil, routine: String? = nil, position: Int? = nil
    ) {
        self.kind = kind
        self.sqlstate = sqlstate
        self.message = message
        self.unredacted = unredacted ?? message
        self.constraint = constraint
        self.table = table
        self.column = column
        self.facts = facts
        self.routine = routine
        self.position = position
    }

    static func decoding(_ message: String) -> PostgresError { PostgresError(.value, "42804", message) }
    static func unsendable(_ message: String) -> PostgresError { PostgresError(.value, "22021", message) }
    static func lost(_ message: String) -> PostgresError { PostgresError(.connection, "08006", message) }
    static func overloaded(_ message: String) -> PostgresError { PostgresError(.overloaded, "53300", message) }
    /// A refusal that a statement answered as a value, by the name of its constraint.
    package static func refused(by constraint: String) -> PostgresError {
        PostgresError(.server, "23000", "refused", constraint: constraint)
    }
    /// The server has become one that takes no writes; nothing was done.
    static let standby = PostgresError(.connection, "25006", "the server takes no writes any more")
    /// What was committed on the server before waits for a standby, so more would wait behind it; nothing was done.
    static let unreplicated = PostgresError(.connection, "57P03", "the server waits for its standby")
    /// Statements would reach other connections than they were meant for, and the timeouts would hold on none.
    static let pooler = PostgresError(.connection, "08004", "a connection pooler is in between")
    static func usage(_ message: String) -> PostgresError { PostgresError(.usage, "55000", message) }
    static func schema(_ message: String) -> PostgresError { PostgresError(.schema, "55000", message) }
}

extension PostgresError {
    /// Whether it is because another server has become the primary, or is about to.
    package var isOfStandby: Bool { kind == .connection && sqlstate == PostgresError.standby.sqlstate }

    /// Whether it is because commits wait for a standby.
    var isOfReplication: Bool { kind == .connection && sqlstate == PostgresError.unreplicated.sqlstate }

    /// Whether a connection pooler such as PgBouncer stands between the program and its database.
    package var isOfPooler: Bool { kind == .connection && sqlstate == PostgresError.pooler.sqlstate }

    /// The name of a constraint as the schema has it: where the database is spread over several nodes, the number of a
    /// shard follows.
    package static func ruleName(_ constraint: String) -> String {
        let stem = constraint.utf8.reversed().drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isShard = stem.count < constraint.utf8.count && stem.first == UInt8(ascii: "_")
        return isShard ? String(decoding: stem.dropFirst().reversed(), as: UTF8.self) : constraint
    }

    /// ` line 12`, where the server stopped in `text`; empty if it did not say.
    func line(in text: String) -> String {
        guard let position else { return "" }
        return " line \(text.unicodeScalars.prefix(position - 1).count { $0 == "\n" } + 1)"
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// With the code and the statement where PostgreSQL refused one; otherwise a sentence for an operator.
    package var description: String {
        guard [.server, .value].contains(kind) else { return message }
        let names = [constraint.map { "constraint \($0)" }, table.map { "table \($0)" }, column.map { "column \($0)" }]
        return ([sqlstate, message] + names.compactMap { $0 }).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    package var debugDescription: String { description }

    /// Also what `dump` and a failed expectation print.
    package var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
