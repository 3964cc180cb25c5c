import Foundation
import HTTP
import Postgres

/// One sitting of study: one or more intervals, as recorded.
package struct Session: Sendable, Encodable {
    package enum State: String, Sendable, Encodable, PostgresDecodable {
        case running, paused, finished
        /// Ended at 12 h without its owner, who has yet to say when; it counts for nothing until then.
        case unconfirmed
    }

    /// One unbroken stretch of it, from `startedAt` up to but not including `endedAt`.
    package struct Interval: Sendable, Encodable {
        package let id: UUID
        package let startedAt: Instant
        /// nil while it runs.
        package let endedAt: Instant?
        package let seconds: Int
        package let source: Source
        package let unconfirmed: Bool
        package let recordedAt: Instant
    }

    package let id: UUID
    package let state: State
    package let source: Source
    package let subjectID: UUID?
    package let taskID: UUID?
    package let goalSeconds: Int?
    /// The lengths of work and rest it was timed by, as `{"name", "work_seconds", "rest_seconds"}`.
    package let plan: JSON?
    package let note: String?
    package let startedAt: Instant
    /// nil while it runs.
    package let endedAt: Instant?
    package let seconds: Int
    package let intervals: [Interval]
    package let createdAt: Instant
}

/// How study came to be recorded.
package enum Source: String, Sendable, Codable, PostgresDecodable {
    /// Measured by the server.
    case timer
    /// Written down afterwards.
    case manual
    /// Brought from elsewhere: counts in the personal calendar, on no board.
    case `import`
}

/// The time from one instant up to another.
package struct Stretch: Sendable, Hashable, Encodable {
    package let startedAt: Instant
    /// nil while it runs.
    package let endedAt: Instant?

    package init(startedAt: Instant, endedAt: Instant?) {
        self.startedAt = startedAt
        self.endedAt = endedAt
    }

    /// Whether the two share a second.
    package func overlaps(_ other: Stretch) -> Bool {
        startedAt < other.endedAt ?? .distantFuture && other.startedAt < endedAt ?? .distantFuture
    }
}

extension Instant {
    fileprivate static let distantFuture = Instant(secondsSince1970: .max)
}

/// Study that somebody writes down.
package struct SessionDraft: Sendable {
    /// The client's own name for it, by which sending it twice records it once; a new one where it gives none.
    package let id: UUID
    package let stretches: [Stretch]
    /// Whether they came as a list, which errors then name as a whole.
    package let isList: Bool
    package let source: Source
    package let subjectID: UUID?
    package let taskID: UUID?
    package let note: String?

    /// The members that ``init(_:)`` reads.
    static let fields = [
        "id", "started_at", "ended_at", "intervals", "subject_id", "task_id", "note", "source",
    ]

    /// Reads `started_at` and `ended_at`, or `intervals` of at most 100 of them.
    package init(_ fields: Fields) throws {
        id = try fields.optionalUUID("id") ?? UUID()
        if let list = try fields.optionalArray("intervals", "started_at", "ended_at") {
            for field in ["started_at", "ended_at"] where try fields.optionalString(field) != nil {
                throw StudyError.bothForms(field: field)
            }
            guard (1...100).contains(list.count) else { throw StudyError.wrongNumberOfIntervals }
            stretches = try list.enumerated().map { try Self.stretch($1, place: "intervals[\($0)].") }
            isList = true
        } else {
            stretches = [try Self.stretch(fields, place: "")]
            isList = false
        }
        let text = try fields.optionalString("source") ?? Source.manual.rawValue
        guard let source = Source(rawValue: text), source != .timer else { throw StudyError.invalidSource }
        self.source = source
        subjectID = try fields.optionalUUID("subject_id")
        taskID = try fields.optionalUUID("task_id")
        note = try fields.optionalString("note")
        try refuseOverlapsWithin()
    }

    private static func stretch(_ fields: Fields, place: String) throws -> Stretch {
        Stretch(
            startedAt: try fields.instant("started_at", place: place),
            endedAt: try fields.instant("ended_at", place: place))
    }

    private func refuseOverlapsWithin() throws {
        let sorted = stretches.sorted { $0.startedAt < $1.startedAt }
        for (earlier, later) in zip(sorted, sorted.dropFirst()) where earlier.overlaps(later) {
            throw StudyError.overlappingInterval(Overlap(with: earlier), field: "intervals")
        }
    }
}

extension Fields {
    /// A required RFC 3339 time in whole seconds, from 1970 on; anything else is `422 invalid_time`.
    func instant(_ name: String, place: String = "") throws -> Instant {
        guard let instant = Instant(rfc3339: try string(name)), instant.secondsSince1970 >= 0 else {
            throw StudyError.invalidTime(field: place + name)
        }
        return instant
    }
}
