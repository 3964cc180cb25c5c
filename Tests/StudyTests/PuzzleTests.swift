import Foundation
import HTTP
import Testing

@testable import Study

/// Ten thousand problems of each kind and difficulty, each solved a second time from what is shown.
@Suite struct PuzzleTests {
    static let all = Puzzle.Kind.allCases.flatMap { kind in Puzzle.Difficulty.allCases.map { (kind, $0) } }

    /// The same numbers for the same seed.
    struct Chance: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    static func draw(_ kind: Puzzle.Kind, _ difficulty: Puzzle.Difficulty, _ count: Int) -> [Puzzle] {
        (0..<count).map { seed in
            var chance = Chance(state: UInt64(seed))
            return Puzzle.make(kind, difficulty, using: &chance)
        }
    }

    @Test(arguments: all)
    func `each has one right answer, by a second way of solving it`(
        kind: Puzzle.Kind, difficulty: Puzzle.Difficulty
    ) throws {
        for (seed, puzzle) in Self.draw(kind, difficulty, 10_000).enumerated() {
            #expect(puzzle.kind == kind)
            let answers = Self.solve(puzzle)
            if answers != [puzzle.answer] { Issue.record("\(seed): \(puzzle), \(answers), not \(puzzle.answer)") }
        }
    }

    @Test(arguments: all)
    func `guessing does not help: among a thousand no five answers are often right`(
        kind: Puzzle.Kind, difficulty: Puzzle.Difficulty
    ) {
        var counts: [Int: Int] = [:]
        for puzzle in Self.draw(kind, difficulty, 1000) { counts[puzzle.answer, default: 0] += 1 }
        #expect(counts.values.sorted(by: >).prefix(5).reduce(0, +) < 500)
        #expect(counts.count > 20)
    }

    @Test(arguments: all)
    func `a problem says everything in both languages and never its answer's field`(
        kind: Puzzle.Kind, difficulty: Puzzle.Difficulty
    ) throws {
        for puzzle in Self.draw(kind, difficulty, 200) {
            let bytes = try JSON.bytes(puzzle)
            #expect(try JSONDecoder().decode(Puzzle.self, from: Data(bytes)) == puzzle)
            #expect(!String(decoding: bytes, as: UTF8.self).contains("answer"))
            let numbers = { (text: String) in text.matches(of: /[0-9]+/).compactMap { Int($0.output) } }
            let shown: [Int] =
                switch puzzle {
                case .arithmetic(let parts): parts.numbers
                case .sequence(let parts): parts.terms
                case .comparison(let parts): parts.numbers
                case .clock(let parts): [parts.shown.hour, parts.shown.minute, parts.until.hour]
                }
            for text in [puzzle.question.ko, puzzle.question.en] {
                #expect(shown.allSatisfy { numbers(text).contains($0) }, "\(text)")
            }
        }
    }

    @Test func `all kinds come, and the same chance draws the same problem`() {
        var (one, other) = (Chance(state: 5), Chance(state: 5))
        var kinds: Set<Puzzle.Kind> = []
        for _ in 0..<100 {
            let puzzle = Puzzle.make(.medium, using: &one)
            #expect(puzzle == Puzzle.make(.medium, using: &other))
            kinds.insert(puzzle.kind)
        }
        #expect(kinds == Set(Puzzle.Kind.allCases))
    }

    // MARK: The second way

    static func solve(_ puzzle: Puzzle) -> Set<Int> {
        switch puzzle {
        case .arithmetic(let parts): [value(of: parts)]
        case .sequence(let parts): next(after: parts.terms)
        case .comparison(let parts): [value(of: parts)]
        case .clock(let parts): [minutes(of: parts)]
        }
    }

    /// Products are folded first, then what is left from left to right.
    private static func value(of parts: Puzzle.Arithmetic) -> Int {
        var (numbers, operators) = (parts.numbers, parts.operators)
        while let at = operators.firstIndex(of: .times) {
            numbers[at] *= numbers.remove(at: at + 1)
            operators.remove(at: at)
        }
        while !operators.isEmpty {
            let operation = operators.removeFirst()
            let (left, right) = (numbers.removeFirst(), numbers.removeFirst())
            numbers.insert(operation == .plus ? left + right : left - right, at: 0)
        }
        return numbers[0]
    }

    /// By trying every rule with small constants on all terms but the first ones it needs.
    private static func next(after terms: [Int]) -> Set<Int> {
        var found: Set<Int> = []
        func keep(_ rule: ([Int]) -> Int, needing seen: Int) {
            for count in seen..<terms.count where rule(Array(terms.prefix(count))) != terms[count] { return }
            found.insert(rule(terms))
        }
        for growth in -12...12 {
            keep({ 2 * $0[$0.count - 1] - $0[$0.count - 2] + growth }, needing: 2)
        }
        for factor in -3...5 {
            for more in -20...20 { keep({ factor * $0[$0.count - 1] + more }, needing: 1) }
        }
        keep({ $0[$0.count - 1] + $0[$0.count - 2] }, needing: 2)
        if terms.count >= 6 { keep({ 2 * $0[$0.count - 2] - $0[$0.count - 4] }, needing: 4) }
        return found
    }

    /// By crossing numbers out.
    private static func value(of parts: Puzzle.Comparison) -> Int {
        func nth(_ place: Int, _ isBefore: (Int, Int) -> Bool) -> Int {
            parts.numbers.first { number in parts.numbers.count { isBefore($0, number) } == place - 1 } ?? -1
        }
        return switch parts.asked {
        case .largest: nth(1, >)
        case .smallest: nth(1, <)
        case .secondLargest: nth(2, >)
        case .secondSmallest: nth(2, <)
        case .difference: nth(2, >) - nth(2, <)
        }
    }

    /// By letting a right clock go on minute by minute until it shows what is asked for.
    private static func minutes(of parts: Puzzle.ClockFace) -> Int {
        func onward(_ hour: Int, _ minute: Int, by step: Int) -> (Int, Int) {
            switch (minute + step, step) {
            case (60, _): (hour == 12 ? 1 : hour + 1, 0)
            case (-1, _): (hour == 1 ? 12 : hour - 1, 59)
            case (let minute, _): (hour, minute)
            }
        }
        var (hour, minute) = (parts.shown.hour, parts.shown.minute)
        for _ in 0..<abs(parts.fast) { (hour, minute) = onward(hour, minute, by: parts.fast > 0 ? -1 : 1) }
        var passed = 0
        while (hour, minute) != (parts.until.hour, parts.until.minute) {
            (hour, minute) = onward(hour, minute, by: 1)
            passed += 1
        }
        return passed
    }
}
