import HTTP

/// Why a file as such cannot be imported.
package enum ImportError: ResponseError {
    case notCSV
    case notUTF8
    case malformed(line: Int)
    /// Neither Toggl's columns nor Clockify's nor ours.
    case unknownColumns
    case tooManyRows
    /// 03/04/2026 could be in March or in April, and no other date tells.
    case ambiguousDates
    /// Names or addresses, to choose one.
    case severalPeople([String])
    case invalidFormat
    case invalidDateFormat
    case invalidDryRun
    case unknownTimeZone
    /// Too many files are being read just now.
    case busy

    package var status: Status { facts.status }
    package var code: String { facts.code }
    package var field: String? { facts.field }

    package var headers: [(String, String)] {
        if case .busy = self { [("Retry-After", "5")] } else { [] }
    }

    package var extra: JSONMembers? {
        switch self {
        case .malformed(let line): ["line": line]
        case .severalPeople(let people): ["people": people]
        case .ambiguousDates: ["date_formats": [DateFormat.monthFirst.rawValue, DateFormat.dayFirst.rawValue]]
        default: nil
        }
    }

    private var facts: (status: Status, code: String, field: String?) {
        switch self {
        case .notCSV: (.unsupportedMediaType, "not_csv", nil)
        case .notUTF8: (.badRequest, "wrong_encoding", nil)
        case .malformed: (.badRequest, "malformed_csv", nil)
        case .unknownColumns: (.unprocessable, "unknown_columns", nil)
        case .tooManyRows: (.contentTooLarge, "too_many_rows", nil)
        case .ambiguousDates: (.unprocessable, "ambiguous_dates", "date_format")
        case .severalPeople: (.unprocessable, "several_people", "person")
        case .invalidFormat: (.unprocessable, "invalid_format", "format")
        case .invalidDateFormat: (.unprocessable, "invalid_date_format", "date_format")
        case .invalidDryRun: (.unprocessable, "invalid_dry_run", "dry_run")
        case .unknownTimeZone: (.unprocessable, "invalid_time_zone", "time_zone")
        case .busy: (.unavailable, "busy", nil)
        }
    }
}

/// Why a row of a file cannot be read; what is against a rule of study time is ``StudyError``.
enum RowError: Error {
    case missing(String)
    case invalidDate(String)
    case invalidTime(String)
    case noSuchLocalTime(String)
    case unknownTimeZone
    case tooManyFields
    case tooManySubjects
    case tooManyStretches(String)
    /// It still ran, or nobody had said when it ended, when the file was written.
    case notFinished(String)
    /// Another row of the same session is refused, on that line.
    case sessionRefused(Int)
    /// Shares time with what the text names, such as `2026-03-02 14:00 – 15:20`.
    case overlapping(String, field: String)

    func refusal(line: Int) -> ImportRefusal {
        ImportRefusal(line: line, code: facts.code, field: facts.field, detail: detail)
    }

    private var facts: (code: String, field: String?) {
        switch self {
        case .missing(let field): ("missing_field", field)
        case .invalidDate(let field): ("invalid_date", field)
        case .invalidTime(let field): ("invalid_time", field)
        case .noSuchLocalTime(let field): ("no_such_local_time", field)
        case .unknownTimeZone: ("invalid_time_zone", "time_zone")
        case .tooManyFields: ("too_many_fields", nil)
        case .tooManySubjects: ("too_many_subjects", nil)
        case .tooManyStretches(let field): ("invalid_intervals", field)
        case .notFinished(let field): ("not_finished", field)
        case .sessionRefused: ("session_refused", nil)
        case .overlapping(_, let field): ("overlapping_interval", field)
        }
    }
}
