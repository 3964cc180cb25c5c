import API
import HTTP
import Postgres
import Time

/// Where a file of study comes from.
package enum ImportFormat: String, Sendable, CaseIterable, Encodable {
    case toggl, clockify
    /// Our own export, of sessions or of intervals.
    case anthill
}

/// What the person says about a file because the file does not.
package struct ImportOptions: Sendable {
    /// nil: told by its columns.
    package var format: ImportFormat?
    /// nil: told by its dates.
    package var dateFormat: DateFormat?
    /// Whose rows are meant, by name or email address, where a file holds several people's.
    package var person: String?

    package init(format: ImportFormat? = nil, dateFormat: DateFormat? = nil, person: String? = nil) {
        self.format = format
        self.dateFormat = dateFormat
        self.person = person
    }
}

/// A session as a file tells it, the way `import_sessions` takes it: instants, or local times for the database to place.
package struct ImportedSession: Sendable, Hashable, Encodable {
    package var place = 0
    package var id: ID?
    package var started: [Instant]?
    package var ended: [Instant]?
    /// The study clock of each stretch; nil where the file does not say.
    package var timeZones: [String?]?
    package var dayStarts: [String?]?
    package var localStart: String?
    package var localEnd: String?
    /// In seconds, as the file says.
    package var lasted: Int?
    package var subject: String?
    package var task: String?
    package var note: String?
    /// The line of each stretch.
    package var lines: [Int] = []

    private enum CodingKeys: CodingKey {
        case place, id, started, ended, timeZones, dayStarts, localStart, localEnd, lasted, subject, task, note
    }
}

/// A row that is not recorded, and why.
package struct ImportRefusal: Sendable, Hashable {
    package let line: Int
    package let code: String
    /// The column at fault.
    package let field: String?
    package let detail: Localized
}

/// A file of study, read row by row. Whether its rows can be recorded only the database knows.
package struct ImportFile: Sendable {
    package static let maxBytes = 5 * 1024 * 1024
    package static let maxRows = 20_000

    package let format: ImportFormat
    package let rows: Int
    package let sessions: [ImportedSession]
    package let refused: [ImportRefusal]
    /// The columns that hold a row's start, end and note.
    package let startColumn: String
    package let endColumn: String
    package let noteColumn: String

    /// Reads a whole file; throws ``ImportRefusals`` where the file as such cannot be read.
    package init(_ bytes: [UInt8], _ options: ImportOptions = ImportOptions()) throws {
        // PostgreSQL keeps no NUL, and no spreadsheet writes one but in UTF-16.
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { throw Refusal.imports.notUTF8 }
        // The rest of too long a file is read for its quotes alone; the header is one more than the rows.
        var count = 0
        let all: [CSV.Record]
        do throws(CSV.Malformed) {
            all = try CSV.records(bytes) { record in
                if !record.isBlank { count += 1 }
                return !record.isBlank && count <= Self.maxRows + 1
            }
        } catch {
            throw Refusal.imports.malformed.filled(with: "\(error.line)").with(["line": error.line])
        }
        guard let header = all.first else { throw Refusal.imports.unknownColumns }
        let columns = ImportColumns(header)
        guard let format = options.format ?? columns.format else { throw Refusal.imports.unknownColumns }
        guard columns.suit(format) else { throw Refusal.imports.unknownColumns }
        guard count <= Self.maxRows + 1 else { throw Refusal.imports.tooManyRows }

        self.format = format
        let records = all.dropFirst()
        let result: ImportReading
        switch format {
        case .anthill:
            result = AnthillCSV.read(records, columns)
            (startColumn, endColumn) = (columns.name(of: .startedAt), columns.name(of: .endedAt))
            noteColumn = columns.name(of: .note)
        case .toggl, .clockify:
            let mine = try TrackerCSV.rows(of: options.person, records, columns)
            result = TrackerCSV.read(
                mine, columns, try options.dateFormat ?? TrackerCSV.dateFormat(mine, columns))
            (startColumn, endColumn) = (columns.name(of: .startTime), columns.name(of: .endTime))
            noteColumn = columns.name(of: .description)
        }
        let stretches = result.sessions.reduce(0) { $0 + $1.lines.count }
        guard stretches <= Self.maxRows else { throw Refusal.imports.tooManyRows }
        rows = result.rows
        sessions = result.sessions.enumerated().map { place, session in
            var session = session
            session.place = place
            return session
        }
        refused = result.refused
    }

    /// The sessions as JSON for the database, in batches that are small enough for a quick statement. There is at least one,
    /// so that a file without rows is checked too.
    package func batches(of size: Int = 200) throws -> [String] {
        var batches: [String] = []
        var batch: [ImportedSession] = []
        var stretches = 0
        for session in sessions {
            if !batch.isEmpty, stretches + session.lines.count > size {
                batches.append(String(decoding: try JSON.bytes(batch), as: UTF8.self))
                (batch, stretches) = ([], 0)
            }
            batch.append(session)
            stretches += session.lines.count
        }
        return batches + [String(decoding: try JSON.bytes(batch), as: UTF8.self)]
    }
}

/// What was read of the rows.
struct ImportReading {
    var rows = 0
    var sessions: [ImportedSession] = []
    var refused: [ImportRefusal] = []
}
