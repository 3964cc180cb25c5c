import HTTP
import Postgres
import Time

/// The two tables of the export. ``ImportFile`` reads both again.
enum ExportTable: String, Sendable {
    /// A row for each session, its intervals in one cell.
    case sessions
    /// A row for each interval, with the study clock it was recorded under.
    case intervals

    /// The first line; a byte order mark in front, without which spreadsheets take it for another encoding.
    var header: String {
        switch self {
        case .sessions:
            "\u{FEFF}"
                + CSV.line([
                    "session_id", "started_at", "ended_at", "seconds", "state", "source", "subject", "task", "note",
                    "intervals",
                ])
        case .intervals:
            "\u{FEFF}"
                + CSV.line([
                    "session_id", "interval_id", "started_at", "ended_at", "seconds", "state", "source", "subject",
                    "task", "note", "time_zone", "day_starts_at", "recorded_at",
                ])
        }
    }

    /// The lines of whole sessions.
    func lines(_ rows: Rows) throws -> String {
        let intervals = try rows.map(ExportedInterval.init)
        switch self {
        case .intervals: return intervals.map(Self.line).joined()
        case .sessions:
            var text = ""
            var rest = intervals[...]
            while let id = rest.first?.sessionID {
                let session = rest.prefix { $0.sessionID == id }
                rest = rest.dropFirst(session.count)
                text += Self.line(session)
            }
            return text
        }
    }

    private static func line(_ interval: ExportedInterval) -> String {
        CSV.line([
            name(interval.sessionID), name(interval.intervalID), interval.startedAt.description,
            interval.endedAt?.description ?? "", interval.seconds.map(String.init) ?? "", interval.state,
            interval.source, interval.subject ?? "", interval.task ?? "", interval.note ?? "", interval.timeZone,
            interval.dayStartsAt, interval.recordedAt.description,
        ])
    }

    private static func line(_ session: ArraySlice<ExportedInterval>) -> String {
        guard let first = session.first, let last = session.last else { return "" }
        let state = session.contains { $0.sessionState == "unconfirmed" } ? "unconfirmed" : first.sessionState
        return CSV.line([
            name(first.sessionID), first.startedAt.description, last.endedAt?.description ?? "",
            String(session.reduce(0) { $0 + ($1.seconds ?? 0) }), state, first.sessionSource, first.subject ?? "",
            first.task ?? "", first.note ?? "",
            session.map { "\($0.startedAt)/\($0.endedAt?.description ?? "")" }.joined(separator: " "),
        ])
    }

    private static func name(_ id: ID) -> String { id.description }
}
