import API
import Foundation
import HTTP
import Postgres
import Time

/// The interval that overlaps, and its local times, as the database reports them with the refusal.
struct Overlap {
    /// nil where that is not known.
    let with: Stretch?
    /// Such as `14:00`.
    let from: String?
    /// Such as `15:20`; nil while it runs.
    let to: String?

    init(facts: String?) {
        let facts = facts.flatMap { try? JSONDecoder().decode(Facts.self, from: Data($0.utf8)) }
        with = facts.map { Stretch(startedAt: $0.started_at, endedAt: $0.ended_at) }
        (from, to) = (facts?.from, facts?.to)
    }

    private struct Facts: Decodable {
        let started_at: Instant
        let ended_at: Instant?
        let from: String
        let to: String?
    }

    func refusal(at field: String?) -> Refusal {
        let refusal =
            switch (from, to) {
            case (let from?, let to?): Refusal.study.overlappingStretch.filled(with: "\(from) – \(to)")
            case (let from?, nil): Refusal.study.overlappingTimer.filled(with: from)
            default: Refusal.study.overlappingInterval
            }
        return (with.map { refusal.with(["overlaps": $0]) } ?? refusal).at(field)
    }
}

extension StudyRefusals {
    /// Like ``mapConstraints(renaming:_:)``, but the refusal of an overlap also tells what is in the way.
    func mapOverlaps<T: Sendable>(
        renaming names: [String: String], _ body: @Sendable () async throws -> T
    ) async throws -> T {
        try await mapConstraints(renaming: names) {
            do {
                return try await body()
            } catch let error as PostgresError where error.constraint == "study_intervals_no_overlap" {
                throw Overlap(facts: error.facts).refusal(at: overlappingInterval.field).renaming(names)
            }
        }
    }
}
