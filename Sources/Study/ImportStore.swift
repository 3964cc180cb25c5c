import Foundation
import HTTP
import Postgres

/// What became of a file, or would.
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
        _ file: ImportFile, batches: [String], of uid: UUID, timeZone: String?, dryRun: Bool
    ) async throws -> ImportReport {
        do {
            return try await database.transaction {
                var report = ImportReport(refused: file.refused)
                if dryRun { try await database.write("SAVEPOINT dry_run") }
                for batch in batches {
                    let rows = try await database.write(
                        """
                        SELECT place, outcome, stretch, seconds, new_subject, overlap
                        FROM import_sessions(\(uid), \(batch)::jsonb, \(timeZone))
                        """)
                    for row in rows { try report.add(row, of: file) }
                }
                if dryRun { try await database.write("ROLLBACK TO SAVEPOINT dry_run") }
                report.refused.sort { ($0.line, $0.code) < ($1.line, $1.code) }
                return report
            }
        } catch let error as PostgresError where error.constraint?.hasPrefix("unknown_time_zone") == true {
            throw ImportError.unknownTimeZone
        }
    }
}

extension ImportReport {
    fileprivate mutating func add(_ row: Row, of file: ImportFile) throws {
        let (place, outcome, stretch, seconds, newSubject, overlap) = try row.decode(
            Int.self, String.self, Int?.self, Int.self, String?.self, String?.self)
        let session = file.sessions[place]
        let lines = Set(session.lines)
        switch outcome {
        case "recorded":
            recorded += lines.count
            self.seconds += seconds
            if let newSubject { subjectsCreated.append(newSubject) }
        case "already_recorded":
            alreadyRecorded += lines.count
        default:
            let line = session.lines[(stretch ?? 1) - 1]
            refused.append(refusal(outcome, line: line, overlap: overlap, file))
            for other in lines where other != line {
                refused.append(RowError.sessionRefused(line).refusal(line: other))
            }
        }
    }

    private func refusal(_ rule: String, line: Int, overlap: String?, _ file: ImportFile) -> ImportRefusal {
        switch rule {
        case "no_such_local_start": return RowError.noSuchLocalTime(file.startColumn).refusal(line: line)
        case "no_such_local_end": return RowError.noSuchLocalTime(file.endColumn).refusal(line: line)
        case "unknown_time_zone": return RowError.unknownTimeZone.refusal(line: line)
        case "too_many_subjects": return RowError.tooManySubjects.refusal(line: line)
        default: break
        }
        guard let error = StudyError(rule: rule) else {
            return ImportRefusal(
                line: line, code: rule, field: nil, detail: Localized(ko: "기록할 수 없어요.", en: "This cannot be recorded."))
        }
        if case .overlappingInterval = error, let overlap {
            return RowError.overlapping(overlap, field: file.startColumn).refusal(line: line)
        }
        let field = error.field.map { ["started_at": file.startColumn, "ended_at": file.endColumn][$0] ?? $0 }
        return ImportRefusal(line: line, code: error.code, field: field, detail: error.detail)
    }
}
