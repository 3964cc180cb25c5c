import API
import HTTP
import Postgres
import Time

/// A study day as cells of ten minutes.
package struct DayStrip: Sendable, Encodable {
    package struct Subject: Sendable, Encodable {
        let id: ID
        let name: String
        let colour: String
    }

    /// Ten minutes with study in them.
    package struct Cell: Sendable, Encodable {
        let startsAt: Instant
        let seconds: Int
        /// The subject with most of the seconds; nil for study without one.
        @OrNull var subjectId: ID?
    }

    let day: Day
    let startsAt: Instant
    let endsAt: Instant
    let timeZone: String
    /// Those of the cells.
    let subjects: [Subject]
    let cells: [Cell]

    /// Reads the rows of `day_strip`: one per cell, or one without a cell.
    init(_ day: Day, _ rows: Rows) throws {
        let first = try rows.one
        self.day = day
        startsAt = try first["day_begins"]
        endsAt = try first["day_ends"]
        timeZone = try first["zone"]
        var found: [ID: Subject] = [:]
        var cells: [Cell] = []
        for row in rows {
            guard let startsAt: Instant = try row["starts_at"] else { continue }
            let id: ID? = try row["subject_id"]
            if let id { found[id] = Subject(id: id, name: try row["subject"], colour: try row["colour"]) }
            cells.append(Cell(startsAt: startsAt, seconds: try row["seconds"], subjectId: id))
        }
        self.cells = cells
        subjects = found.values.sorted { ($0.name, $0.id.description) < ($1.name, $1.id.description) }
    }
}
