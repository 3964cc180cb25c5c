import HTTP

extension Puzzle {
    /// A sum to be worked out; multiplication comes first.
    package struct Arithmetic: Sendable, Hashable, Codable {
        package enum Operator: String, Sendable, Codable {
            case plus = "+"
            case minus = "−"
            case times = "×"
        }

        package let numbers: [Int]
        /// Between the numbers, one less than those.
        package let operators: [Operator]

        init(_ difficulty: Difficulty, using chance: inout some RandomNumberGenerator) {
            func any(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &chance) }
            let isSum = Bool.random(using: &chance)
            switch difficulty {
            case .easy:
                numbers = isSum ? [any(12...89), any(12...89)] : [any(50...99), any(11...49)]
                operators = [isSum ? .plus : .minus]
            case .medium:
                numbers = [any(3...9), any(12...29), isSum ? any(11...89) : any(11...35)]
                operators = [.times, isSum ? .plus : .minus]
            case .hard:
                numbers = [any(6...9), any(13...49), any(6...9), any(13...49), any(11...99)]
                operators = [.times, .plus, .times, isSum ? .plus : .minus]
            }
        }

        var answer: Int {
            var (total, product) = (0, numbers[0])
            for (operation, number) in zip(operators, numbers.dropFirst()) {
                if operation == .times {
                    product *= number
                } else {
                    total += product
                    product = operation == .plus ? number : -number
                }
            }
            return total + product
        }

        var question: Localized {
            var text = "\(numbers[0])"
            for (operation, number) in zip(operators, numbers.dropFirst()) {
                text += " \(operation.rawValue) \(number)"
            }
            return Localized(ko: "계산하면 얼마인가요? \(text)", en: "What does this come to? \(text)")
        }
    }
}
