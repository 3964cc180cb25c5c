internal import CPostgres

extension PostgresError {
    /// Error classes whose messages quote no values, unless one of our functions raised them.
    private static let plainClasses: Set<String> = ["08", "25", "26", "28", "3D", "40", "53", "55", "57", "58"]

    /// Reads a result that is an error. `statement` is its text with placeholders.
    init(_ result: OpaquePointer, statement: String?, mayQuoteValues: Bool = true) {
        func field(_ code: Unicode.Scalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        let sqlstate = field("C") ?? "XX000"
        let routine = field("R")
        let said = field("M") ?? "no message"
        let rule = field("n") ?? field("H").flatMap(Self.name(hint:)) ?? Self.constraint(sqlstate, said)
        let isPlain =
            !mayQuoteValues
            || Self.plainClasses.contains(String(sqlstate.prefix(2))) && routine != "exec_stmt_raise"
        let place = statement.map {
            "in \"\($0.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(120))\""
        }
        self.init(
            .server, sqlstate, [isPlain ? said : nil, place].compactMap { $0 }.joined(separator: " "),
            unredacted: [said, field("D")].compactMap { $0 }.joined(separator: "; "),
            constraint: rule.map(Self.ruleName), table: field("t"), column: field("c"), facts: field("D"),
            routine: routine, position: field("P").flatMap(Int.init))
    }

    /// The text of HINT, if it is a name. `refuse` also puts the rule's name there, because a database that is spread
    /// over several nodes passes on nothing else.
    private static func name(hint: String) -> String? {
        hint.wholeMatch(of: /[a-z_]+/) == nil ? nil : hint
    }

    /// A constraint that a worker of such a database checked has its name in the message alone.
    private static func constraint(_ sqlstate: String, _ message: String) -> String? {
        guard sqlstate.hasPrefix("23") else { return nil }
        return message.firstMatch(of: /constraint "(\w+)"/).map { String($0.1) }
    }

    /// Whether the server closes the connection after this error.
    static func isFatal(_ result: OpaquePointer) -> Bool {
        PQresultErrorField(result, Int32(("V" as Unicode.Scalar).value)).map { String(cString: $0) } != "ERROR"
    }

    /// A table has changed so that what was prepared returns something else now.
    var isStalePlan: Bool { sqlstate == "0A000" && routine == "RevalidateCachedQuery" }

    var isUnknownStatement: Bool { sqlstate == "26000" }

    /// The server rolled the transaction back and it may well succeed the next time.
    var isRetryable: Bool {
        sqlstate == "40001" || sqlstate == "40P01" || isOfStandby || isStalePlan || isUnknownStatement
    }
}
