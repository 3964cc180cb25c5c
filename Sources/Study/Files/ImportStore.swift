import API
import HTTP
import Postgres

/// The result of an import or a dry run.
package struct ImportReport: Sendable {
    package var recorded = 0
    package var alreadyRecorded = 0
    package var refused: [ImportRefusal]
    package var subjectsCreated: [String] = []
    /// Of what was recorded.
    package var seconds = 0
}

/// Study from files, into the database.
struct ImportStore: Sendable {
    let database: Database

    /// Records what can be recorded, all in one transaction; a dry run does the very same and takes it back. Local
    /// times are of `timeZone`, the user's own when nil.
    func record(
        _ file: ImportFile, batches: [String], of uid: ID, timeZone: String?, dryRun: Bool
    ) async throws -> ImportReport {
        try await Refusal.imports.mapConstraints {
            try await database.transaction {
                var report = ImportReport(refused: file.refused)
                let meanings = Meanings(of: file)
                if dryRun { try await database.write("SAVEPOINT dry_run") }
                for batch in batches {
                    let rows = try await database.write(
                        """
                        SELECT place, outcome, stretch, seconds, new_subject, overlap
                        FROM import_sessions(\(uid), \(batch)::jsonb, \(timeZone))
                        """)
                    for row in rows { try report.add(row, of: file, meanings) }
                }
                if dryRun { try await database.write("ROLLBACK TO SAVEPOINT dry_run") }
                report.refused.sort { ($0.line, $0.code) < ($1.line, $1.code) }
                return report
            }
        }
    }
}

extension ImportReport {
    fileprivate mutating func add(_ row: Row, of file: ImportFile, _ meanings: Meanings) throws {
        let session = file.sessions[try row["place"]]
        let lines = Set(session.lines)
        switch try row["outcome", as: String.self] {
        case "recorded":
            recorded += lines.count
            seconds += try row["seconds"]
            if let subject: String = try row["new_subject"] { subjectsCreated.append(subject) }
        case "already_recorded":
            alreadyRecorded += lines.count
        case let rule:
            let line = session.lines[(try row["stretch"] ?? 1) - 1]
            refused.append(meanings.refusal(of: rule, overlap: try row["overlap"]).refusal(line: line))
            for other in lines where other != line {
                refused.append(Refusal.row.sessionRefused.filled(with: "\(line)").refusal(line: other))
            }
        }
    }
}

/// Maps the rule that refused a row to a refusal, with the file's column names.
private struct Meanings {
    private let meanings: [String: Refusal]
    private let startColumn: String

    init(of file: ImportFile) {
        let columns = ["started_at": file.startColumn, "ended_at": file.endColumn, "note": file.noteColumn]
        startColumn = file.startColumn
        meanings = Refusal.study.byConstraint.mapValues { $0.renaming(columns) }
            .merging(Refusal.imports.byConstraint) { $1 }.merging(Refusal.row.byConstraint) { $1 }
            .merging([
                "no_such_local_start": Refusal.row.noSuchLocalTime.at(file.startColumn),
                "no_such_local_end": Refusal.row.noSuchLocalTime.at(file.endColumn),
            ]) { $1 }
    }

    func refusal(of rule: String, overlap: String?) -> Refusal {
        let refusal = meanings[PostgresError.ruleName(rule)] ?? Refusal.row.notRecordable
        guard refusal.isOverlap, let overlap else { return refusal }
        return Refusal.row.overlapping.filled(with: overlap).at(startColumn)
    }
}
