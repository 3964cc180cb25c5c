import API
import HTTP
import Mail
import Time

/// What somebody studied in a week, and how that compares.
struct WeeklyLetter: Sendable {
    let week: Day
    let seconds: Int
    let secondsBefore: Int
    let studyDays: Int
    /// Days that reached their goal.
    let ants: Int
    /// Days on which the alarm was answered as well.
    let perfect: Int
    let streak: Int
    /// The goal of the week; nil if there is none.
    let goalSeconds: Int?

    func message(to: Mailbox, baseURL: String, optOut: String, language: Language) -> Message {
        let time = Localized.duration(seconds)
        return Letter(
            subject: seconds == 0
                ? Localized(ko: "지난주에는 쉬었어요", en: "Your week of rest")
                : Localized(ko: "지난주에 \(time.ko) 공부했어요", en: "Your week: \(time.en)"),
            before: [summary, comparison, goal, streakWords].compactMap(\.self),
            action: .init(
                label: Localized(ko: "달력 보기", en: "Open the calendar"), link: "\(baseURL)/calendar"),
            after: [], optOut: optOut
        ).message(to: to, in: language)
    }

    private var summary: Localized {
        guard seconds > 0 else {
            return Localized(
                ko: "\(week.description)부터 한 주 동안 기록한 공부가 없어요.",
                en: "Nothing was recorded in the week from \(week.description).")
        }
        let time = Localized.duration(seconds)
        let goals = ants == 0 ? Localized(ko: "", en: "") : antWords
        return Localized(
            ko: "\(week.description)부터 한 주 동안 \(studyDays)일에 걸쳐 \(time.ko) 공부했어요.\(goals.ko)",
            en: "In the week from \(week.description) you studied \(time.en) on \(Self.days(studyDays)).\(goals.en)")
    }

    private var antWords: Localized {
        let best =
            perfect == 0
            ? Localized(ko: "", en: "")
            : Localized(ko: ", 퍼펙트 개미를 받은 날은 \(perfect)일", en: ", \(perfect) of them with a perfect ant")
        return Localized(
            ko: " 목표를 채운 날은 \(ants)일\(best.ko)이에요.", en: " You reached your goal on \(Self.days(ants))\(best.en).")
    }

    private var comparison: Localized? {
        guard seconds + secondsBefore > 0 else { return nil }
        let difference = Localized.duration(abs(seconds - secondsBefore))
        if abs(seconds - secondsBefore) < 60 {
            return Localized(ko: "그 전주와 같아요.", en: "That is as much as in the week before.")
        }
        return seconds > secondsBefore
            ? Localized(
                ko: "그 전주보다 \(difference.ko) 더 했어요.", en: "That is \(difference.en) more than in the week before.")
            : Localized(
                ko: "그 전주보다 \(difference.ko) 덜 했어요.", en: "That is \(difference.en) less than in the week before.")
    }

    private var goal: Localized? {
        guard let goalSeconds else { return nil }
        let wanted = Localized.duration(goalSeconds)
        return seconds >= goalSeconds
            ? Localized(ko: "한 주 목표 \(wanted.ko)을 채웠어요.", en: "You reached your goal for the week, \(wanted.en).")
            : Localized(ko: "한 주 목표는 \(wanted.ko)이었어요.", en: "Your goal for the week was \(wanted.en).")
    }

    private var streakWords: Localized? {
        guard streak > 1 else { return nil }
        return Localized(ko: "지금 \(streak)일 연속이에요.", en: "Your streak is \(streak) days.")
    }

    private static func days(_ count: Int) -> String { count == 1 ? "1 day" : "\(count) days" }
}
