import API
import HTTP
import Postgres
import Time

/// Rows of Toggl and Clockify: local dates and times, a project and a description, perhaps of several people.
enum TrackerCSV {
    /// The rows of one person. Throws ``ImportRefusals/severalPeople`` when it is not said whose are meant, and
    /// ``ImportRefusals/unknownPerson`` when none is theirs.
    static func rows(
        of person: String?, _ records: ArraySlice<CSV.Record>, _ columns: ImportColumns
    ) throws -> [CSV.Record] {
        let key: ImportColumns.Column = columns.has(.email) ? .email : .user
        if let person {
            let theirs = records.filter {
                columns.value(.email, in: $0) == person || columns.value(.user, in: $0) == person
            }
            guard !theirs.isEmpty else { throw Refusal.imports.unknownPerson }
            return theirs
        }
        let people = Set(records.compactMap { columns.value(key, in: $0) })
        guard people.count <= 1 else {
            throw Refusal.imports.severalPeople.with(["people": Array(people.sorted().prefix(50))])
        }
        return Array(records)
    }

    /// Throws ``ImportRefusals/ambiguousDates``.
    static func dateFormat(_ records: [CSV.Record], _ columns: ImportColumns) throws -> DateFormat {
        let dates = records.lazy.flatMap { record in
            [ImportColumns.Column.startDate, .endDate].compactMap { columns.value($0, in: record) }
        }
        guard let format = DateFormat.detect(dates) else { throw Refusal.imports.ambiguousDates }
        return format
    }

    static func read(_ records: [CSV.Record], _ columns: ImportColumns, _ format: DateFormat) -> ImportReading {
        var reading = ImportReading(rows: records.count)
        for record in records {
            do throws(Refusal) {
                reading.sessions.append(try session(record, columns, format))
            } catch {
                reading.refused.append(error.refusal(line: record.line))
            }
        }
        return reading
    }

    private static func session(
        _ record: CSV.Record, _ columns: ImportColumns, _ format: DateFormat
    ) throws(Refusal) -> ImportedSession {
        guard record.count <= columns.count else { throw .row.tooManyFields }
        var session = ImportedSession(lines: [record.line])
        session.localStart = try moment(.startDate, .startTime, record, columns, format)
        session.lasted = columns.value(.duration, in: record).flatMap(writtenDuration)
        if columns.value(.endTime, in: record) != nil || session.lasted == nil {
            // Without an end date, as in some reports, it ends on the day on which it began.
            let day: ImportColumns.Column = columns.value(.endDate, in: record) == nil ? .startDate : .endDate
            session.localEnd = try moment(day, .endTime, record, columns, format)
        }
        session.subject = columns.value(.project, in: record).map(nameOnOneLine)
        session.task = columns.value(.task, in: record)
        session.note = columns.value(.description, in: record)
        return session
    }

    /// A local time as PostgreSQL reads it.
    private static func moment(
        _ date: ImportColumns.Column, _ time: ImportColumns.Column, _ record: CSV.Record, _ columns: ImportColumns,
        _ format: DateFormat
    ) throws(Refusal) -> String {
        guard let dateText = columns.value(date, in: record) else { throw .row.missing.at(columns.name(of: date)) }
        guard let timeText = columns.value(time, in: record) else { throw .row.missing.at(columns.name(of: time)) }
        guard let day = Day(dateText, format) else { throw .row.invalidDate.at(columns.name(of: date)) }
        guard let clock = TimeOfDay(written: timeText) else { throw .row.invalidTime.at(columns.name(of: time)) }
        return "\(day) \(clock.textToTheSecond)"
    }
}

/// A project's name as a subject can have it: at most 60 characters, none of them a line break or another control.
func nameOnOneLine(_ text: String) -> String {
    let line = String(
        String.UnicodeScalarView(
            text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }.prefix(60)))
    return line.allSatisfy(\.isWhitespace) ? "-" : line
}
