import Foundation
import HTTP
import Postgres
import TestSupport
import Testing
import Time

/// Boards of random groups against a second way of counting: every interval, second by second of its days, in Swift.
@Suite(.database) struct BruteForceTests {
    struct Stretch {
        let person: Int
        let start: Int
        let end: Int
        let isManual: Bool
    }

    struct Score: Equatable {
        var rank = 1
        var seconds = 0
        var manual = 0
    }

    @Test(arguments: [
        (1, 57_600, true), (2, 7200, true), (3, 7200, false), (4, 3600, true), (5, 57_600, false),
    ])
    func `ranks, seconds and shares of a random month agree with brute force`(
        seed: UInt64, cap: Int, manualCounts: Bool
    ) async throws {
        var random = Random(state: seed)
        let room = try await Room(
            at: "2026-11-01T00:00:00Z",
            rules: ["daily_cap_seconds": .integer(cap), "manual_counts": .bool(manualCounts)])
        var people = [room.owner]
        for number in 1...6 { people.append(try await room.join("Ant \(number)")) }
        let first = try #require(Instant("2026-11-01T00:00:00Z")).secondsSince1970
        var recorded: [Stretch] = []
        for day in 0..<12 {
            for (index, person) in people.enumerated() {
                // Twice a day some minutes, in whole tens so that people tie; the second often across 05:00.
                for hour in [2, 18] where Bool.random(using: &random) {
                    let start = first + day * 86_400 + hour * 3600 + 600 * Int.random(in: 0...6, using: &random)
                    let end = start + 600 * Int.random(in: 1...12, using: &random)
                    let isManual = Bool.random(using: &random)
                    let (from, to) = (Instant(secondsSince1970: start), Instant(secondsSince1970: end))
                    if isManual {
                        try await TestDatabase.current.setClock("\(to)")
                        #expect(await person.log("\(from)", "\(to)").status == .created)
                    } else {
                        try await TestDatabase.current.setClock("\(from)")
                        try await person.run(end - start)
                    }
                    recorded.append(Stretch(person: index, start: start, end: end, isManual: isManual))
                }
            }
        }
        // The last one still runs.
        let start = first + 12 * 86_400 + 70_000
        try await TestDatabase.current.setClock("\(Instant(secondsSince1970: start))")
        _ = await people[3].post("/me/timer/start")
        try await TestDatabase.current.advance(5000)
        recorded.append(Stretch(person: 3, start: start, end: start + 5000, isManual: false))

        let studied = Self.days(of: recorded, people.count)
        let november = Self.studyDay(first)...Self.studyDay(first) + 29
        for (query, days) in [
            ("at=2026-11", november), ("period=week&at=2026-11-02", november.lowerBound + 1...november.lowerBound + 7),
            ("period=week&at=2026-11-09", november.lowerBound + 8...november.lowerBound + 14),
            ("period=day&at=2026-11-05", november.lowerBound + 4...november.lowerBound + 4),
            ("period=day", november.lowerBound + 13...november.lowerBound + 13),
        ] {
            let expected = Self.scores(studied, on: days, cap: cap, manualCounts: manualCounts)
            let board = await room.owner.board(room, query)
            for (person, score) in zip(people, expected) {
                let entry = board.entry(person)
                let found = Score(
                    rank: entry["rank"].int ?? 0, seconds: entry["seconds"].int ?? -1,
                    manual: entry["manual_seconds"].int ?? -1)
                #expect(found == score, "\(person.nickname), \(query)")
                let mine = await person.board(room, query)["me"]
                #expect(mine["rank"].int == score.rank)
                let above = expected.map(\.seconds).filter { $0 > score.seconds }.min()
                #expect(mine["gap_to_next_seconds"].int == above.map { $0 - score.seconds })
                let order = board["entries"].array?.compactMap(\.["uid"].string) ?? []
                let place = try #require(order.firstIndex(of: person.id))
                let around = (max(0, place - 3)...min(order.count - 1, place + 3)).filter { $0 != place }.map {
                    order[$0]
                }
                #expect(mine["neighbours"].array?.compactMap(\.["uid"].string) == around)
            }
        }
    }

    /// Days since 1970 of Seoul's study days, which begin at 20:00 UTC.
    private static func studyDay(_ instant: Int) -> Int { (instant + 4 * 3600) / 86_400 }

    /// The seconds of each person, by study day.
    private static func days(of stretches: [Stretch], _ people: Int) -> (timed: [[Int: Int]], manual: [[Int: Int]]) {
        var timed = [[Int: Int]](repeating: [:], count: people)
        var manual = timed
        for stretch in stretches {
            for second in stretch.start..<stretch.end {
                if stretch.isManual {
                    manual[stretch.person][studyDay(second), default: 0] += 1
                } else {
                    timed[stretch.person][studyDay(second), default: 0] += 1
                }
            }
        }
        return (timed, manual)
    }

    private static func scores(
        _ studied: (timed: [[Int: Int]], manual: [[Int: Int]]), on days: ClosedRange<Int>, cap: Int, manualCounts: Bool
    ) -> [Score] {
        var scores = [Score](repeating: Score(), count: studied.timed.count)
        for person in scores.indices {
            for day in days {
                let (byTimer, byHand) = (studied.timed[person][day] ?? 0, studied.manual[person][day] ?? 0)
                let counted = min(cap, byTimer + (manualCounts ? byHand : 0))
                scores[person].seconds += counted
                scores[person].manual += counted - min(cap, byTimer)
            }
        }
        for person in scores.indices {
            scores[person].rank = 1 + scores.count { $0.seconds > scores[person].seconds }
        }
        return scores
    }

    /// SplitMix64: the same month for the same seed.
    struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = state
            bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
            return bits ^ bits >> 31
        }
    }
}
