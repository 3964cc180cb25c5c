import Foundation
import Postgres
import Schema

/// The rules of `check.sql`, for where there is no psql: its queries, with psql's variables filled in.
struct CheckScript {
    /// One for each rule.
    let queries: [String]

    init() throws { self.init(try Schema.maintenance("check.sql")) }

    init(_ text: String) {
        // What the script sets where nothing else is said.
        let variables = [
            ":chosen": "BETWEEN '00000000-0000-0000-0000-000000000000' AND 'ffffffff-ffff-ffff-ffff-ffffffffffff'",
            ":'first_uid'": "'00000000-0000-0000-0000-000000000000'",
            ":'last_uid'": "'ffffffff-ffff-ffff-ffff-ffffffffffff'", ":'since'": "'-infinity'",
            ":'mail_late'": "'1 hour'",
            ":'nobodys'": "true",
        ]
        var queries: [String] = []
        var lines: [Substring] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("\\") && !line.isComment {
            lines.append(line)
            guard line.hasSuffix(";") || line.contains("\\gset") else { continue }
            let statement = lines.joined(separator: "\n")
            lines = []
            // The rest is psql's own: settings, and the variables above.
            guard statement.starts(with: #/SELECT|WITH/#), !line.contains("\\gset") else { continue }
            queries.append(variables.reduce(String(statement.dropLast())) { $0.replacing($1.key, with: $1.value) })
        }
        self.queries = queries
    }

    /// One line for each violation, as psql prints it, all from one snapshot.
    func violations(_ database: Database) async throws -> [String] {
        try await database.slowTransaction {
            try await database.write([
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", "SET LOCAL enable_seqscan = on",
            ])
            var found: [String] = []
            for query in queries {
                let lines = "SELECT concat_ws('|', a, coalesce(b::text, ''), coalesce(c::text, ''))"
                found += try await database.read(Query(stringLiteral: "\(lines) FROM (\(query)) v (a, b, c)"))
                    .decode(String.self)
            }
            return found
        }
    }
}

extension Substring {
    fileprivate var isComment: Bool { trimmingCharacters(in: .whitespaces).hasPrefix("--") }
}
