import API
import HTTP

/// What the alarm refuses.
package struct AlarmRefusals: Refusals {
    /// No ring that can still be answered.
    let outsideWindow = Refusal(
        .conflict, "outside_alarm_window", on: "outside_alarm_window",
        ko: "지금은 알람 시간이 아니에요. 알람이 울리고 \(RuleNumber.alarmWindowMinutes)분 안에 풀어 주세요.",
        en: "No alarm rings now. A problem can be solved for \(RuleNumber.alarmWindowMinutes) minutes from each ring.")
    /// All tries of this ring were made.
    let tooManyTries = Refusal(
        .conflict, "too_many_tries", on: "too_many_tries",
        ko: "\(RuleNumber.alarmTries)번을 다 썼어요. 다음에 울릴 때 새 문제로 다시 해 봐요.",
        en: "All \(RuleNumber.alarmTries) tries are used. There is a new problem at the next ring.")
    let alreadyEarned = Refusal(
        .conflict, "wake_up_already_earned", on: "wake_up_already_earned",
        ko: "오늘의 기상 개미는 이미 받았어요.", en: "The wake-up ant of this day is earned already.")
    let challengeNotFound = Refusal(
        .notFound, "not_found", on: "challenge_not_found", ko: "그런 문제가 없어요.", en: "There is no such problem.")
    let invalidTime = Refusal(
        .unprocessable, "invalid_alarm_time", field: "time",
        ko: "알람 시각은 06:30처럼 적어 주세요.", en: "Write the time of the alarm like 06:30.")
    let invalidDifficulty = Refusal(
        .unprocessable, "invalid_difficulty", field: "difficulty",
        ko: "난이도는 easy, medium, hard 중 하나예요.", en: "The difficulty is easy, medium or hard.")
    let invalidSound = Refusal(
        .unprocessable, "invalid_sound", field: "sound",
        ko: "소리는 bell, birds, wood, none 중 하나예요.", en: "The sound is bell, birds, wood or none.")
    let invalidRepeat = Refusal(
        .unprocessable, "invalid_repeat",
        ko: "알람은 1~60분마다, 10번까지 더 울려요.", en: "An alarm rings again every 1 to 60 minutes, at most 10 times.")
}

extension Refusal {
    package static let alarm = AlarmRefusals()
}
