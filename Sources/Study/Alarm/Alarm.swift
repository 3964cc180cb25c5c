import API
import HTTP
import Postgres
import Time

/// How the morning alarm is to ring: the body of `PUT /me/alarm`.
struct AlarmSetting: Sendable {
    let time: TimeOfDay
    let enabled: Bool
    let difficulty: Puzzle.Difficulty
    let sound: AlarmSound
    let everyMinutes: Int
    let times: Int

    /// Reads the body; refuses by field what is against a rule.
    init(_ request: Request) throws {
        let fields = try request.json("enabled", "time", "difficulty", "sound", "repeat")
        enabled = try fields.bool("enabled")
        guard let time = TimeOfDay(try fields.string("time")) else { throw Refusal.alarm.invalidTime }
        self.time = time
        guard let difficulty = Puzzle.Difficulty(rawValue: try fields.string("difficulty")) else {
            throw Refusal.alarm.invalidDifficulty
        }
        guard let sound = AlarmSound(rawValue: try fields.string("sound")) else { throw Refusal.alarm.invalidSound }
        (self.difficulty, self.sound) = (difficulty, sound)
        let again = try fields.object("repeat", "every_minutes", "times")
        everyMinutes = try again.int("every_minutes")
        times = try again.int("times")
        guard (1...60).contains(everyMinutes) else { throw Refusal.alarm.invalidRepeat.at("repeat.every_minutes") }
        guard (0...10).contains(times) else { throw Refusal.alarm.invalidRepeat.at("repeat.times") }
    }
}

/// What an open page plays when the alarm rings.
package enum AlarmSound: String, Sendable, Encodable, PostgresDecodable {
    case bell, birds, wood, none
}

extension Puzzle.Difficulty: PostgresDecodable {}

/// The alarm as its owner sees it at `serverTime`.
package struct AlarmStatus: Sendable, Encodable {
    /// Rings after the first: `times` of them, `everyMinutes` apart.
    package struct Repeat: Sendable, Encodable {
        package let everyMinutes: Int
        package let times: Int
    }

    /// The time after a ring in which its problem may be solved.
    package struct Window: Sendable, Encodable {
        /// The calendar day, from midnight, whose ant can be earned.
        package let day: Day
        /// Which ring it is, from 1, of so many `rings`.
        package let ring: Int
        package let rings: Int
        package let openedAt: Instant
        /// The last second.
        package let closesAt: Instant
        package let triesLeft: Int
    }

    package let enabled: Bool
    /// By the wall clock of `timeZone`.
    package let time: TimeOfDay
    package let difficulty: Puzzle.Difficulty
    package let sound: AlarmSound
    package let `repeat`: Repeat
    package let timeZone: String
    /// Today by midnight in that zone, and whether its ant is there.
    package let day: Day
    package let earnedToday: Bool
    /// The rings still to come on the first day that has no ant yet.
    package let ringsAt: [Instant]
    /// Null unless there is something to be solved now.
    @OrNull package var window: Window?
    package let serverTime: Instant
}

/// The problem of the present ring.
package struct Challenge: Sendable, Encodable {
    package let challengeId: ID
    /// In the person's language.
    package let question: String
    /// The same as numbers, for a client that draws it.
    package let puzzle: Puzzle
    package let expiresAt: Instant
    package let triesLeft: Int

    private enum Member: String, CodingKey { case challengeId, question, expiresAt, triesLeft }

    package func encode(to encoder: any Encoder) throws {
        try puzzle.encode(to: encoder)
        var container = encoder.container(keyedBy: Member.self)
        try container.encode(challengeId, forKey: .challengeId)
        try container.encode(question, forKey: .question)
        try container.encode(expiresAt, forKey: .expiresAt)
        try container.encode(triesLeft, forKey: .triesLeft)
    }
}

/// What one try came to.
package struct WakeUpResult: Sendable, Encodable {
    package let correct: Bool
    /// Whether the day has its wake-up ant, by this answer or an earlier one.
    package let wakeUp: Bool
    package let triesLeft: Int
}
