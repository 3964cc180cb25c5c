import HTTP

extension Puzzle {
    /// Different numbers, to be put in order in one's head.
    package struct Comparison: Sendable, Hashable, Codable {
        package enum Asked: String, Sendable, Codable {
            case largest, smallest
            case secondLargest = "second_largest"
            case secondSmallest = "second_smallest"
            /// The second largest less the second smallest.
            case difference
        }

        package let numbers: [Int]
        package let asked: Asked

        init(_ difficulty: Difficulty, using chance: inout some RandomNumberGenerator) {
            let isFirstKind = Bool.random(using: &chance)
            switch difficulty {
            case .easy:
                numbers = Self.draw(8, from: 10...99, using: &chance)
                asked = isFirstKind ? .largest : .smallest
            case .medium:
                let from = Int.random(in: 100...700, using: &chance)
                numbers = Self.draw(9, from: from...from + 299, using: &chance)
                asked = isFirstKind ? .secondLargest : .secondSmallest
            case .hard:
                numbers = Self.draw(9, from: 100...999, using: &chance)
                asked = .difference
            }
        }

        private static func draw(
            _ count: Int, from range: ClosedRange<Int>, using chance: inout some RandomNumberGenerator
        ) -> [Int] {
            var drawn: [Int] = []
            while drawn.count < count {
                let number = Int.random(in: range, using: &chance)
                if !drawn.contains(number) { drawn.append(number) }
            }
            return drawn
        }

        var answer: Int {
            let ordered = numbers.sorted()
            let count = ordered.count
            return switch asked {
            case .largest: ordered[count - 1]
            case .smallest: ordered[0]
            case .secondLargest: ordered[count - 2]
            case .secondSmallest: ordered[1]
            case .difference: ordered[count - 2] - ordered[1]
            }
        }

        var question: Localized {
            let shown = numbers.map(String.init).joined(separator: ", ")
            return switch asked {
            case .largest: Localized(ko: "가장 큰 수는 무엇인가요? \(shown)", en: "Which number is the largest? \(shown)")
            case .smallest: Localized(ko: "가장 작은 수는 무엇인가요? \(shown)", en: "Which number is the smallest? \(shown)")
            case .secondLargest:
                Localized(ko: "두 번째로 큰 수는 무엇인가요? \(shown)", en: "Which number is the second largest? \(shown)")
            case .secondSmallest:
                Localized(ko: "두 번째로 작은 수는 무엇인가요? \(shown)", en: "Which number is the second smallest? \(shown)")
            case .difference:
                Localized(
                    ko: "두 번째로 큰 수에서 두 번째로 작은 수를 빼면 얼마인가요? \(shown)",
                    en: "Take the second smallest number from the second largest. What is left? \(shown)")
            }
        }
    }
}
