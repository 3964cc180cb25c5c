/// Which column of a file holds what, by the names in its first line.
struct ImportColumns: Sendable {
    enum Column: Hashable, CaseIterable {
        case user, email, project, task, description, startDate, startTime, endDate, endTime, duration
        case sessionID, startedAt, endedAt, state, subject, note, intervals, timeZone, dayStartsAt

        fileprivate var names: [String] {
            switch self {
            case .user: ["user", "member"]
            case .email: ["email"]
            case .project: ["project"]
            case .task: ["task"]
            case .description: ["description"]
            case .startDate: ["start date"]
            case .startTime: ["start time"]
            case .endDate: ["end date", "stop date"]
            case .endTime: ["end time", "stop time"]
            case .duration: ["duration", "duration (h)", "duration (decimal)"]
            case .sessionID: ["session_id"]
            case .startedAt: ["started_at"]
            case .endedAt: ["ended_at"]
            case .state: ["state"]
            case .subject: ["subject"]
            case .note: ["note"]
            case .intervals: ["intervals"]
            case .timeZone: ["time_zone"]
            case .dayStartsAt: ["day_starts_at"]
            }
        }
    }

    let count: Int
    private let header: [String]
    private let places: [Column: Int]

    init(_ record: CSV.Record) {
        header = record.fields.map { trimmed($0) }
        count = record.count
        let names = header.map { $0.lowercased() }
        var places: [Column: Int] = [:]
        for column in Column.allCases {
            places[column] = column.names.lazy.compactMap { names.firstIndex(of: $0) }.first
        }
        self.places = places
    }

    /// The service that writes such columns; nil when none does.
    var format: ImportFormat? {
        if suit(.anthill) { return .anthill }
        guard suit(.toggl) else { return nil }
        return header.contains { $0.lowercased().hasPrefix("duration (") } ? .clockify : .toggl
    }

    /// Whether all columns are there that the format needs.
    func suit(_ format: ImportFormat) -> Bool {
        switch format {
        case .anthill: [.sessionID, .startedAt, .endedAt].allSatisfy(has)
        case .toggl, .clockify:
            [.startDate, .startTime].allSatisfy(has)
                && ([.endDate, .endTime].allSatisfy(has) || has(.duration))
        }
    }

    /// A record's value in a column, without spaces around it; nil when it is empty.
    func value(_ column: Column, in record: CSV.Record) -> String? {
        guard let place = places[column], place < record.fields.count else { return nil }
        let text = trimmed(record.fields[place])
        return text.isEmpty ? nil : text
    }

    /// The column as the file calls it.
    func name(of column: Column) -> String { places[column].map { header[$0] } ?? column.names[0] }

    func has(_ column: Column) -> Bool { places[column] != nil }
}

private func trimmed(_ text: String) -> String {
    let start = text.drop { $0.isWhitespace }
    return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
}
