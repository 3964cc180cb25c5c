import HTTP

/// What must be solved for a wake-up ant. Each has exactly one right integer, and more possible ones than there are tries.
package enum Puzzle: Sendable, Hashable {
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case arithmetic, sequence, comparison, clock
    }

    package enum Difficulty: String, Sendable, Codable, CaseIterable {
        case easy, medium, hard
    }

    case arithmetic(Arithmetic)
    case sequence(NumberSequence)
    case comparison(Comparison)
    case clock(ClockFace)

    /// One of any kind; all chance comes from `chance`.
    package static func make(_ difficulty: Difficulty, using chance: inout some RandomNumberGenerator) -> Puzzle {
        let kinds = Kind.allCases
        return make(kinds[Int.random(in: kinds.indices, using: &chance)], difficulty, using: &chance)
    }

    /// One of this kind.
    package static func make(
        _ kind: Kind, _ difficulty: Difficulty, using chance: inout some RandomNumberGenerator
    ) -> Puzzle {
        switch kind {
        case .arithmetic: .arithmetic(Arithmetic(difficulty, using: &chance))
        case .sequence: .sequence(NumberSequence(difficulty, using: &chance))
        case .comparison: .comparison(Comparison(difficulty, using: &chance))
        case .clock: .clock(ClockFace(difficulty, using: &chance))
        }
    }

    package var kind: Kind {
        switch self {
        case .arithmetic: .arithmetic
        case .sequence: .sequence
        case .comparison: .comparison
        case .clock: .clock
        }
    }

    /// The one right integer.
    package var answer: Int {
        switch self {
        case .arithmetic(let parts): parts.answer
        case .sequence(let parts): parts.answer
        case .comparison(let parts): parts.answer
        case .clock(let parts): parts.answer
        }
    }

    /// All one needs to know, in words.
    package var question: Localized {
        switch self {
        case .arithmetic(let parts): parts.question
        case .sequence(let parts): parts.question
        case .comparison(let parts): parts.question
        case .clock(let parts): parts.question
        }
    }
}

/// As it is kept and as a client draws it: `{"kind": "clock", "parts": {…}}`, the answer left out.
extension Puzzle: Codable {
    private enum Member: String, CodingKey { case kind, parts }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        self =
            switch try container.decode(Kind.self, forKey: .kind) {
            case .arithmetic: .arithmetic(try container.decode(Arithmetic.self, forKey: .parts))
            case .sequence: .sequence(try container.decode(NumberSequence.self, forKey: .parts))
            case .comparison: .comparison(try container.decode(Comparison.self, forKey: .parts))
            case .clock: .clock(try container.decode(ClockFace.self, forKey: .parts))
            }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Member.self)
        try container.encode(kind, forKey: .kind)
        switch self {
        case .arithmetic(let parts): try container.encode(parts, forKey: .parts)
        case .sequence(let parts): try container.encode(parts, forKey: .parts)
        case .comparison(let parts): try container.encode(parts, forKey: .parts)
        case .clock(let parts): try container.encode(parts, forKey: .parts)
        }
    }
}
