import API
import HTTP
import Postgres

/// What the alarm refuses.
package enum AlarmError: ResponseError, Equatable {
    /// No ring that can still be answered.
    case outsideWindow
    /// All tries of this ring were made.
    case tooManyTries
    case alreadyEarned
    case challengeNotFound
    case invalidTime
    case invalidDifficulty
    case invalidSound
    case invalidRepeat(field: String)

    package var status: Status { facts.status }
    package var code: String { facts.code }
    package var field: String? { facts.field }

    private var facts: (status: Status, code: String, field: String?) {
        switch self {
        case .outsideWindow: (.conflict, "outside_alarm_window", nil)
        case .tooManyTries: (.conflict, "too_many_tries", nil)
        case .alreadyEarned: (.conflict, "wake_up_already_earned", nil)
        case .challengeNotFound: (.notFound, "not_found", nil)
        case .invalidTime: (.unprocessable, "invalid_alarm_time", "time")
        case .invalidDifficulty: (.unprocessable, "invalid_difficulty", "difficulty")
        case .invalidSound: (.unprocessable, "invalid_sound", "sound")
        case .invalidRepeat(let field): (.unprocessable, "invalid_repeat", field)
        }
    }

    /// In words for the person.
    package var detail: Localized {
        switch self {
        case .outsideWindow:
            Localized(
                ko: "지금은 알람 시간이 아니에요. 알람이 울리고 \(RuleNumber.alarmWindowMinutes)분 안에 풀어 주세요.",
                en:
                    "No alarm rings now. A problem can be solved for \(RuleNumber.alarmWindowMinutes) minutes from each ring."
            )
        case .tooManyTries:
            Localized(
                ko: "\(RuleNumber.alarmTries)번을 다 썼어요. 다음에 울릴 때 새 문제로 다시 해 봐요.",
                en: "All \(RuleNumber.alarmTries) tries are used. There is a new problem at the next ring.")
        case .alreadyEarned:
            Localized(ko: "오늘의 기상 개미는 이미 받았어요.", en: "The wake-up ant of this day is earned already.")
        case .challengeNotFound:
            Localized(ko: "그런 문제가 없어요.", en: "There is no such problem.")
        case .invalidTime:
            Localized(ko: "알람 시각은 06:30처럼 적어 주세요.", en: "Write the time of the alarm like 06:30.")
        case .invalidDifficulty:
            Localized(ko: "난이도는 easy, medium, hard 가운데 하나예요.", en: "The difficulty is easy, medium or hard.")
        case .invalidSound:
            Localized(ko: "소리는 bell, birds, wood, none 가운데 하나예요.", en: "The sound is bell, birds, wood or none.")
        case .invalidRepeat:
            Localized(
                ko: "알람은 1~60분마다, 10번까지 더 울려요.", en: "An alarm rings again every 1 to 60 minutes, at most 10 times.")
        }
    }

    /// Runs `body` and gives what the schema refuses its name.
    static func naming<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as PostgresError {
            let meanings: [(prefix: String, AlarmError)] = [
                ("outside_alarm_window", .outsideWindow), ("too_many_tries", .tooManyTries),
                ("wake_up_already_earned", .alreadyEarned), ("challenge_not_found", .challengeNotFound),
            ]
            guard let constraint = error.constraint,
                let meaning = meanings.first(where: { constraint.hasPrefix($0.prefix) })
            else { throw error }
            throw meaning.1
        }
    }
}
