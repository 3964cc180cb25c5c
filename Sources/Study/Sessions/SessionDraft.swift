import API
import HTTP
import Postgres
import Time

/// Study that somebody writes down.
package struct SessionDraft: Sendable {
    /// Chosen by the client, so that sending it twice records it once; made here if it is left out.
    package let id: ID
    package let stretches: [Stretch]
    /// How errors name its times.
    package let timeFields: TimeFields
    package let source: Source
    package let subjectID: ID?
    package let taskID: ID?
    package let note: String?

    /// The members that ``init(_:)`` reads.
    static let fields = [
        "id", "started_at", "ended_at", "intervals", "subject_id", "task_id", "note", "source",
    ]

    /// Reads `started_at` and `ended_at`, or `intervals` of at most 100 of them.
    package init(_ fields: Fields) throws {
        id = try fields.optionalUUID("id") ?? ID()
        if let list = try Stretch.list(fields) {
            stretches = list
            timeFields = .list
        } else {
            stretches = [try Stretch(fields)]
            timeFields = .both
        }
        let text = try fields.optionalString("source") ?? Source.manual.rawValue
        guard let source = Source(rawValue: text), source != .timer else { throw Refusal.study.invalidSource }
        self.source = source
        subjectID = try fields.optionalUUID("subject_id")
        taskID = try fields.optionalUUID("task_id")
        note = try fields.optionalString("note")
    }

    /// As `record_sessions` takes it.
    var json: JSON {
        .object([
            "session_id": .string(id.description), "source": .string(source.rawValue),
            "started": .array(stretches.map { .string($0.startedAt.description) }),
            "ended": .array(stretches.map { $0.endedAt.map { .string($0.description) } ?? .null }),
            "subject_id": JSON(subjectID), "task_id": JSON(taskID), "note": note.map(JSON.string) ?? .null,
        ])
    }
}

/// What somebody changes about a session; what is left out stays as it is.
package struct SessionChange: Sendable {
    package enum Times: Sendable {
        /// These replace all that it had.
        case stretches([Stretch])
        /// Another start, another end, or both; its breaks stay.
        case edges(startedAt: Instant?, endedAt: Instant?)
    }

    package let times: Times?
    /// How errors name the times.
    package let timeFields: TimeFields
    /// As `describe_session` takes it: subject, task and note as far as they change, null to clear; nil if none does.
    let description: JSON?

    /// The members that ``init(_:)`` reads.
    static let fields = ["started_at", "ended_at", "intervals", "subject_id", "task_id", "note"]

    package init(_ fields: Fields) throws {
        if let list = try Stretch.list(fields) {
            times = .stretches(list)
            timeFields = .list
        } else {
            let startedAt = try fields.optionalInstant("started_at")
            let endedAt = try fields.optionalInstant("ended_at")
            times = startedAt == nil && endedAt == nil ? nil : .edges(startedAt: startedAt, endedAt: endedAt)
            timeFields = startedAt == nil ? .only("ended_at") : endedAt == nil ? .only("started_at") : .both
        }
        var changes: [String: JSON] = [:]
        for name in ["subject_id", "task_id"] where fields.has(name) {
            changes[name] = JSON(try fields.optionalUUID(name))
        }
        if fields.has("note") { changes["note"] = try fields.optionalString("note").map(JSON.string) ?? .null }
        description = changes.isEmpty ? nil : .object(changes)
    }
}

/// The names under which a request gave the times of a session, for errors about them.
package struct TimeFields: Sendable, Hashable {
    package let start: String
    package let end: String

    /// What the request calls the fields that refusals are about.
    var names: [String: String] { ["started_at": start, "ended_at": end] }

    /// Each by its own name.
    package static let both = TimeFields(start: "started_at", end: "ended_at")
    /// As a list, which errors then name as a whole.
    package static let list = only("intervals")

    /// One field that stands for all times.
    package static func only(_ field: String) -> TimeFields { TimeFields(start: field, end: field) }
}

extension JSON {
    fileprivate init(_ id: ID?) { self = id.map { .string($0.description) } ?? .null }
}

extension Stretch {
    fileprivate init(_ fields: Fields) throws {
        self.init(startedAt: try fields.instant("started_at"), endedAt: try fields.instant("ended_at"))
    }

    /// `intervals`, if they are given: 1 to 100, without `started_at` and `ended_at` beside them. In the order of time,
    /// so that an overlap names the earlier of two.
    fileprivate static func list(_ fields: Fields) throws -> [Stretch]? {
        guard let list = try fields.optionalArray("intervals", "started_at", "ended_at") else { return nil }
        for field in ["started_at", "ended_at"] where try fields.optionalString(field) != nil {
            throw Refusal.study.bothForms.at(field)
        }
        guard (1...100).contains(list.count) else { throw Refusal.study.wrongNumberOfIntervals }
        return try list.map(Stretch.init).sorted { $0.startedAt < $1.startedAt }
    }
}
