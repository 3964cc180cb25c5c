import API
import Postgres
import Time

/// Rows of our own export: a session each, or an interval each of which several make a session.
enum AnthillCSV {
    private static let mostStretches = 1000

    static func read(_ records: ArraySlice<CSV.Record>, _ columns: ImportColumns) -> ImportReading {
        var reading = ImportReading(rows: records.count)
        var places: [ID: Int] = [:]
        // A session is recorded whole or not at all: one interval that cannot be read refuses its session.
        var broken: [ID: Int] = [:]
        for record in records {
            let id = columns.value(.sessionID, in: record).flatMap { ID($0) }
            do throws(Refusal) {
                guard let id else { throw .row.missing.at(columns.name(of: .sessionID)) }
                let session = try session(id, record, columns)
                guard let place = places[id] else {
                    places[id] = reading.sessions.count
                    reading.sessions.append(session)
                    continue
                }
                guard reading.sessions[place].lines.count + session.lines.count <= mostStretches else {
                    throw .row.tooManyStretches.at(columns.name(of: .sessionID))
                }
                reading.sessions[place].append(session)
            } catch {
                reading.refused.append(error.refusal(line: record.line))
                if let id { broken[id] = record.line }
            }
        }
        for session in reading.sessions {
            guard let line = session.id.flatMap({ broken[$0] }) else { continue }
            for other in Set(session.lines).sorted() {
                reading.refused.append(Refusal.row.sessionRefused.filled(with: "\(line)").refusal(line: other))
            }
        }
        reading.sessions.removeAll { session in session.id.map { broken[$0] != nil } ?? false }
        return reading
    }

    private static func session(
        _ id: ID, _ record: CSV.Record, _ columns: ImportColumns
    ) throws(Refusal) -> ImportedSession {
        guard record.count <= columns.count else { throw .row.tooManyFields }
        if let state = columns.value(.state, in: record), state != "finished" {
            throw .row.notFinished.at(columns.name(of: .state))
        }
        var session = ImportedSession(id: id)
        if let list = columns.value(.intervals, in: record) {
            let stretches = list.split(separator: " ")
            guard stretches.count <= mostStretches else { throw .row.tooManyStretches.at(columns.name(of: .intervals)) }
            for stretch in stretches {
                let ends = stretch.split(separator: "/", omittingEmptySubsequences: false)
                guard ends.count == 2, let start = instant(ends[0]), let end = instant(ends[1]) else {
                    throw .row.invalidTime.at(columns.name(of: .intervals))
                }
                session.append(start, end, line: record.line)
            }
        } else {
            session.append(
                try instant(.startedAt, record, columns), try instant(.endedAt, record, columns), line: record.line)
        }
        if let zone = columns.value(.timeZone, in: record) {
            guard let start = columns.value(.dayStartsAt, in: record), let time = TimeOfDay(start),
                time.hour < RuleNumber.dayStartsBeforeHour.value
            else { throw .row.invalidTime.at(columns.name(of: .dayStartsAt)) }
            session.timeZones = session.timeZones?.map { _ in zone }
            session.dayStarts = session.dayStarts?.map { _ in start }
        }
        session.subject = columns.value(.subject, in: record).map { nameOnOneLine(CSV.plain($0)) }
        session.task = columns.value(.task, in: record).map(CSV.plain)
        session.note = columns.value(.note, in: record).map(CSV.plain)
        return session
    }

    private static func instant(
        _ column: ImportColumns.Column, _ record: CSV.Record, _ columns: ImportColumns
    ) throws(Refusal) -> Instant {
        guard let text = columns.value(column, in: record) else { throw .row.missing.at(columns.name(of: column)) }
        guard let instant = instant(text[...]) else { throw .row.invalidTime.at(columns.name(of: column)) }
        return instant
    }

    private static func instant(_ text: Substring) -> Instant? {
        Instant(from1970: String(text))
    }
}

extension ImportedSession {
    fileprivate init(id: ID) {
        self.id = id
        (started, ended, timeZones, dayStarts) = ([], [], [], [])
    }

    fileprivate mutating func append(_ start: Instant, _ end: Instant, line: Int) {
        started?.append(start)
        ended?.append(end)
        timeZones?.append(nil)
        dayStarts?.append(nil)
        lines.append(line)
    }

    /// Takes over the stretches of another row of the same session.
    fileprivate mutating func append(_ other: ImportedSession) {
        started? += other.started ?? []
        ended? += other.ended ?? []
        timeZones? += other.timeZones ?? []
        dayStarts? += other.dayStarts ?? []
        lines += other.lines
    }
}
