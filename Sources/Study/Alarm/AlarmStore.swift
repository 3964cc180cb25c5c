import API
import Foundation
import HTTP
import Postgres
import Time

/// The alarm in the database, which decides what rings now and what is right.
struct AlarmStore: Sendable {
    let database: Database

    func status(of uid: ID) async throws -> AlarmStatus {
        try Self.status(await database.read(Self.query(uid)).one)
    }

    func set(_ setting: AlarmSetting, of uid: ID) async throws -> AlarmStatus {
        let set: Query = """
            SELECT set_alarm(\(uid), \(setting.enabled), \(setting.time), \(setting.difficulty.rawValue),
              \(setting.sound.rawValue), \(setting.everyMinutes), \(setting.times))
            """
        return try Self.status(await database.write([set, Self.query(uid)])[1].one)
    }

    /// The problem of the present ring: one of `offered`, which has one of each difficulty, unless one was asked already.
    func ask(_ uid: ID, offered: [Puzzle.Difficulty: Puzzle], in language: Language) async throws -> Challenge {
        struct Offer: Encodable {
            let puzzle: Puzzle
            let answer: Int
        }
        let offers = offered.map { ($0.rawValue, Offer(puzzle: $1, answer: $1.answer)) }
        let json = String(decoding: try JSON.bytes(Dictionary(uniqueKeysWithValues: offers)), as: UTF8.self)
        return try await Refusal.alarm.mapConstraints {
            let rows = try await database.write(
                """
                SELECT challenge_id, puzzle, expires_at, tries_left FROM ask_wake_up(\(uid), \(json)::jsonb)
                """)
            let row = try rows.one
            let puzzle = try JSONDecoder().decode(Puzzle.self, from: Data((row["puzzle"] as String).utf8))
            return Challenge(
                challengeId: try row["challenge_id"], question: puzzle.question[language], puzzle: puzzle,
                expiresAt: try row["expires_at"], triesLeft: try row["tries_left"])
        }
    }

    func answer(_ challenge: ID, _ answer: Int, by uid: ID) async throws -> WakeUpResult {
        try await Refusal.alarm.mapConstraints {
            let rows = try await database.write(
                "SELECT correct, wake_up, tries_left FROM answer_wake_up(\(uid), \(challenge), \(answer))")
            let (correct, wakeUp, left) = try rows.one.decode(Bool.self, Bool.self, Int.self)
            return WakeUpResult(correct: correct, wakeUp: wakeUp, triesLeft: left)
        }
    }

    private static func query(_ uid: ID) -> Query { "SELECT * FROM alarm_state(\(uid))" }

    private static func status(_ row: Row) throws -> AlarmStatus {
        var window: AlarmStatus.Window?
        if let day: Day = try row["window_day"] {
            window = AlarmStatus.Window(
                day: day, ring: try row["window_ring"], rings: try row["window_rings"],
                openedAt: try row["opened_at"], closesAt: try row["closes_at"], triesLeft: try row["tries_left"])
        }
        return AlarmStatus(
            enabled: try row["enabled"], time: try row["time"], difficulty: try row["difficulty"],
            sound: try row["sound"],
            repeat: AlarmStatus.Repeat(everyMinutes: try row["every_minutes"], times: try row["times"]),
            timeZone: try row["time_zone"], day: try row["day"], earnedToday: try row["earned_today"],
            ringsAt: try row["rings_at"], window: window, serverTime: try row["server_time"])
    }
}
