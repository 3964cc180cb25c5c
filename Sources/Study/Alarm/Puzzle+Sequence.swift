import HTTP

extension Puzzle {
    /// Numbers that follow a rule; the next one is asked for.
    package struct NumberSequence: Sendable, Hashable, Codable {
        package let terms: [Int]

        /// Drawn again until every rule that fits the terms leads on to the same number.
        init(_ difficulty: Difficulty, using chance: inout some RandomNumberGenerator) {
            var drawn: [Int]
            repeat {
                drawn = Self.draw(difficulty, using: &chance)
            } while Set(Self.continuations(of: drawn)).count != 1
            terms = drawn
        }

        private static func draw(_ difficulty: Difficulty, using chance: inout some RandomNumberGenerator) -> [Int] {
            func any(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &chance) }
            let isFirstKind = Bool.random(using: &chance)
            switch difficulty {
            case .easy:
                let (start, step) = isFirstKind ? (any(2...60), any(3...12)) : (any(61...120), -any(3...12))
                return (0..<5).map { start + $0 * step }
            case .medium:
                if isFirstKind {  // steps that grow
                    let (start, step, growth) = (any(1...40), any(2...9), any(1...5))
                    return (0..<5).map { start + $0 * step + $0 * ($0 - 1) / 2 * growth }
                }
                let more = any(1...9)  // doubled, and some
                return chain(from: any(1...20), count: 5) { 2 * $0 + more }
            case .hard:
                if isFirstKind {  // each is the sum of the two before
                    var terms = [any(1...20), any(1...20)]
                    while terms.count < 6 { terms.append(terms[terms.count - 1] + terms[terms.count - 2]) }
                    return terms
                }
                let (up, rise) = (any(1...60), any(3...15))  // two that take turns
                let (down, fall) = (any(61...120), any(3...15))
                return (0..<6).map { $0 % 2 == 0 ? up + $0 / 2 * rise : down - $0 / 2 * fall }
            }
        }

        private static func chain(from start: Int, count: Int, _ next: (Int) -> Int) -> [Int] {
            var terms = [start]
            while terms.count < count { terms.append(next(terms[terms.count - 1])) }
            return terms
        }

        /// Where each rule that fits leads on to: steps that change evenly, a multiple and some, the sum of the two before,
        /// two even sequences that take turns.
        static func continuations(of terms: [Int]) -> [Int] {
            let count = terms.count
            let last = terms[count - 1]
            let steps = zip(terms.dropFirst(), terms).map { $0 - $1 }
            let growths = Set(zip(steps.dropFirst(), steps).map { $0 - $1 })
            var found: [Int] = []
            if growths.count == 1, let growth = growths.first { found.append(last + steps[count - 2] + growth) }
            if steps[0] != 0, steps[1] % steps[0] == 0 {
                let factor = steps[1] / steps[0]
                let more = terms[1] - factor * terms[0]
                if zip(terms, terms.dropFirst()).allSatisfy({ factor * $0 + more == $1 }) {
                    found.append(factor * last + more)
                }
            }
            let isSumOfTwo = (2..<count).allSatisfy { (index: Int) -> Bool in
                terms[index] == terms[index - 1] + terms[index - 2]
            }
            if isSumOfTwo {
                found.append(last + terms[count - 2])
            }
            let isByTurns = (4..<max(4, count)).allSatisfy { (index: Int) -> Bool in
                terms[index] + terms[index - 4] == 2 * terms[index - 2]
            }
            if count >= 6, isByTurns {
                found.append(2 * terms[count - 2] - terms[count - 4])
            }
            return found
        }

        var answer: Int { Self.continuations(of: terms)[0] }

        var question: Localized {
            let shown = terms.map(String.init).joined(separator: ", ")
            return Localized(
                ko: "규칙을 찾아 다음 수를 적어 주세요. \(shown), …", en: "Find the rule. Which number comes next? \(shown), …")
        }
    }
}
