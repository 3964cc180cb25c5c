import Postgres

/// A mail of ours that came back to the sender, because its address does not exist: a report as RFC 3464 has it.
package struct ReturnedMail: Equatable, Sendable {
    /// Statuses of RFC 3463 that mean the address, and neither the sender, the message nor the mail server.
    private static let badAddress: Set<String> = [
        "5.0.0", "5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1", "5.4.4",
    ]

    /// The mail's id in the outbox.
    package let id: ID
    /// What the last mail server replied, such as 550.
    package let reply: Int

    /// nil for any other mail, such as one that says that a message is late.
    package init?(_ source: String) {
        // A line that begins with a blank continues the one before.
        let lines = source.replacing("\r\n", with: "\n").replacing(#/\n[ \t]+/#, with: " ")
            .split(separator: "\n", omittingEmptySubsequences: false)
        guard
            let type = lines.firstIndex(where: { $0.lowercased().hasPrefix("content-type: message/delivery-status") }),
            let start = lines[type...].firstIndex(of: ""),
            let end = lines[start...].firstIndex(where: { $0.hasPrefix("--") }),
            let report = lines[start..<end].split(separator: "").lazy.map(Self.fields).first(where: Self.isFinal),
            let id = lines[end...].joined(separator: "\n").firstMatch(
                of: #/^message-id: *<([0-9a-f-]{36})@/#.ignoresCase().anchorsMatchLineEndings())?.1,
            let id = ID(String(id))
        else { return nil }
        self.id = id
        reply = report["diagnostic-code"]?.firstMatch(of: #/^smtp; *(5\d\d)/#).flatMap { Int($0.1) } ?? 550
    }

    /// The fields of a block by their names in lower case.
    private static func fields(_ lines: ArraySlice<Substring>) -> [String: String] {
        let pairs = lines.map {
            $0.split(separator: ":", maxSplits: 1).map { $0.trimmingPrefix(while: \.isWhitespace) }
        }
        return Dictionary(
            pairs.filter { $0.count == 2 }.map { ($0[0].lowercased(), String($0[1])) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func isFinal(_ fields: [String: String]) -> Bool {
        let status = fields["status"]?.prefix { !$0.isWhitespace } ?? ""
        return fields["action"]?.lowercased().hasPrefix("failed") == true && badAddress.contains(String(status))
    }

    /// Notes that its address takes no mail, if we sent it and the account still has that address; whether it did.
    package func note(in database: Database) async throws -> Bool {
        try await database.write("SELECT note_returned_mail(\(id), \(reply))").one.decode(Bool.self)
    }
}
