import API
import HTTP

extension StudyError {
    /// In words for the person.
    package var detail: Localized {
        switch self {
        case .timerAlreadyRunning:
            Localized(ko: "타이머가 이미 가고 있어요.", en: "A timer is running already.")
        case .timerNotRunning:
            Localized(ko: "가고 있는 타이머가 없어요.", en: "No timer is running.")
        case .timerNotPaused:
            Localized(ko: "멈춰 둔 타이머가 없어요.", en: "No timer is paused.")
        case .timerStillRunning:
            Localized(ko: "타이머를 먼저 끝내 주세요.", en: "Stop the timer of this session first.")
        case .unconfirmedTimer:
            Localized(
                ko: "그 시간에는 \(RuleNumber.longestIntervalHours)시간을 넘긴 타이머가 있어요. 언제 끝냈는지 먼저 알려 주세요.",
                en:
                    "A timer that passed \(RuleNumber.longestIntervalHours) hours lies there. Say first when it really stopped."
            )
        case .notUnconfirmed:
            Localized(ko: "이 공부는 끝난 시각이 이미 정해져 있어요.", en: "The end of this session is not in question.")
        case .inTheFuture:
            Localized(ko: "아직 오지 않은 시간이에요.", en: "This time has not come yet.")
        case .tooOld:
            Localized(
                ko: "\(RuleNumber.loggingWindowHours)시간이 지난 공부는 적을 수 없어요.",
                en: "Study can be written down for \(RuleNumber.loggingWindowHours) hours; this began earlier.")
        case .tooLong:
            Localized(
                ko: "쉬지 않은 공부는 \(RuleNumber.longestIntervalHours)시간까지예요.",
                en: "Without a pause, study lasts at most \(RuleNumber.longestIntervalHours) hours.")
        case .emptyInterval:
            Localized(ko: "끝은 시작보다 뒤여야 해요.", en: "The end must come after the start.")
        case .overlappingInterval(let overlap, _):
            switch (overlap.from, overlap.to) {
            case (let from?, let to?):
                Localized(
                    ko: "\(from) – \(to) 공부와 겹쳐요. 시작이나 끝을 바꿔 주세요.",
                    en: "This overlaps \(from) – \(to). Change the start or the end.")
            case (let from?, nil):
                Localized(
                    ko: "\(from)부터 타이머가 가고 있어요. 끝을 그보다 늦지 않게 골라 주세요.",
                    en: "Your timer has been running since \(from). Choose an end no later than that.")
            default:
                Localized(ko: "다른 공부와 시간이 겹쳐요.", en: "This overlaps other study.")
            }
        case .monthClosed:
            Localized(
                ko: "그 달의 순위가 이미 정해져서 바꿀 수 없어요.", en: "That month is final; nothing in it can change any more.")
        case .sessionNotFound:
            Localized(ko: "그런 공부 기록이 없어요.", en: "There is no such session.")
        case .sessionTooOld:
            Localized(
                ko: "끝난 지 \(RuleNumber.loggingWindowHours)시간이 지난 기록은 바꾸거나 지울 수 없어요.",
                en: "A session can be changed or taken back for \(RuleNumber.loggingWindowHours) hours after its end.")
        case .sessionRetracted:
            Localized(ko: "이 기록은 지워졌어요.", en: "This session was taken back.")
        case .unknownSubject:
            Localized(ko: "그런 과목이 없어요.", en: "There is no such subject.")
        case .unknownTask:
            Localized(ko: "그런 할 일이 없어요.", en: "There is no such task.")
        case .invalidGoal:
            Localized(ko: "목표는 1초에서 24시간 사이여야 해요.", en: "A goal is between 1 second and 24 hours.")
        case .invalidNote:
            Localized(ko: "메모는 2000자까지 쓸 수 있어요.", en: "A note has at most 2000 characters.")
        case .invalidSource:
            Localized(ko: "source는 manual이나 import예요.", en: "The source is manual or import.")
        case .invalidTime:
            Localized(
                ko: "시각은 2026-11-21T05:00:00Z처럼 적어 주세요.", en: "Write a time like 2026-11-21T05:00:00Z.")
        case .invalidDay:
            Localized(
                ko: "날짜는 2026-11-21처럼 적고, \(RuleNumber.mostDaysAtOnce)일 안에서 골라 주세요.",
                en:
                    "Write days like 2026-11-21, the first before the last, at most \(RuleNumber.mostDaysAtOnce) of them."
            )
        case .bothForms:
            Localized(
                ko: "시작과 끝, 또는 intervals 중 하나만 보내 주세요.", en: "Send either a start and an end or intervals, not both.")
        case .wrongNumberOfIntervals:
            Localized(ko: "intervals는 1~100개예요.", en: "Send 1 to 100 intervals.")
        case .wrongNumberOfSessions:
            Localized(
                ko: "한 번에 기록 1~200개, 모두 합쳐 intervals 1000개까지 보낼 수 있어요.",
                en: "Send 1 to 200 sessions at once, with at most 1000 intervals in all.")
        }
    }
}
