import API
import HTTP
import Postgres

/// A cycle: lengths of work and rest, in turn.
struct Plan: Sendable, Encodable {
    /// nil for a pair that nobody named.
    @OrNull var name: String?
    let workSeconds: Int
    let restSeconds: Int

    init(name: String?, workSeconds: Int, restSeconds: Int) {
        self.workSeconds = workSeconds
        self.restSeconds = restSeconds
        self.name = name
    }

    /// What everybody is offered.
    static let presets = [(25, 5), (50, 10), (90, 20)].map { work, rest in
        Plan(name: "\(work)/\(rest)", workSeconds: 60 * work, restSeconds: 60 * rest)
    }

    /// The members that ``init(_:)`` reads.
    static let fields = ["name", "work_seconds", "rest_seconds"]

    /// Work and rest of at least a minute each, both together at most a day.
    init(_ fields: Fields) throws {
        name = try fields.optionalString("name").map { text in
            guard let name = PlainText.line(text, atMost: 50) else {
                throw Refusal.plans.invalidName.at(fields.place + "name")
            }
            return name
        }
        workSeconds = try fields.int("work_seconds")
        restSeconds = try fields.int("rest_seconds")
        let (shortest, day) = (RuleNumber.lengths.lowerBound, RuleNumber.lengths.upperBound)
        guard (shortest...day - shortest).contains(workSeconds) else {
            throw Refusal.plans.invalidLength.at(fields.place + "work_seconds")
        }
        guard (shortest...day - workSeconds).contains(restSeconds) else {
            throw Refusal.plans.invalidLength.at(fields.place + "rest_seconds")
        }
    }

    /// As a session keeps it.
    func json() throws -> String { String(decoding: try JSON.bytes(self), as: UTF8.self) }
}

/// The plans somebody may start a timer with.
struct Plans: Sendable, Encodable {
    let presets = Plan.presets
    /// In the order they were made.
    let own: [Plan]
}
