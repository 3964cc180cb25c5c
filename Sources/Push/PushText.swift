import API
import HTTP
import Postgres

/// What a push says, in the language of its reader: little, and never another person's name.
struct PushText: Sendable {
    let kind: String
    let title: Localized
    let text: Localized
    /// The page that it opens.
    let address: String
    /// How much it may wake a sleeping device (RFC 8030, 5.3).
    let urgency: String
    private let language: Language
    private let topic: String

    private struct Content: Encodable {
        let kind: String
        let title: String
        let text: String
        let address: String
        /// A later one of the same takes its place on the screen.
        let topic: String
        let language: String
    }

    var bytes: [UInt8] {
        get throws {
            try JSON.bytes(
                Content(
                    kind: kind, title: title[language], text: text[language], address: address, topic: topic,
                    language: language.rawValue))
        }
    }

    /// nil for a kind that there is none of, or when something is missing in it.
    init?(_ push: WaitingPush) {
        kind = push.kind
        topic = push.topic
        language = push.language
        let facts = push.parameters
        switch push.kind {
        case "alarm": (title, text, address, urgency) = Self.alarm
        case "timer":
            guard let ended = facts["ended"].flatMap({ Self.ends[$0] }) else { return nil }
            (title, text, address, urgency) = (ended.title, ended.text, "/home", "high")
        case "unattended": (title, text, address, urgency) = Self.unattended
        case "month":
            guard let group = facts["group"].flatMap(ID.init), let name = facts["name"], let month = facts["month"],
                let named = Localized(month: month), let rank = facts["rank"],
                let people = facts["people"]
            else { return nil }
            title = Localized(ko: "\(name): \(named.ko) 순위가 확정됐어요", en: "\(name): \(named.en) is final")
            text = Localized(ko: "\(people)명 중 \(rank)위예요.", en: "Your rank: \(rank) of \(people).")
            (address, urgency) = ("/groups/\(group)?period=month&at=\(month)", "low")
        case "passed":
            guard let group = facts["group"].flatMap(ID.init), let name = facts["name"], let place = facts["place"]
            else { return nil }
            title = Localized(ko: "\(name): 누가 나를 앞질렀어요", en: "\(name): somebody passed you")
            text = Localized(ko: "지금은 \(place)위예요.", en: "You are now rank \(place).")
            (address, urgency) = ("/groups/\(group)", "low")
        case "test": (title, text, address, urgency) = Self.test
        default: return nil
        }
    }

    private typealias Whole = (Localized, Localized, String, String)

    private static let alarm: Whole = (
        Localized(ko: "일어날 시간이에요", en: "Time to get up"),
        Localized(
            ko: "\(RuleNumber.alarmWindowMinutes)분 안에 문제를 풀면 기상 개미를 받아요.",
            en: "Solve the problem within \(RuleNumber.alarmWindowMinutes) minutes to earn the wake-up ant."),
        "/alarm", "high"
    )
    private static let unattended: Whole = (
        Localized(
            ko: "타이머가 \(RuleNumber.unattendedAfterHours)시간 넘게 켜져 있어요",
            en: "Your timer has been running for \(RuleNumber.unattendedAfterHours) hours"),
        Localized(ko: "아직 공부하고 있다면 그대로 두면 돼요.", en: "If you are still studying, there is nothing to do."),
        "/home", "normal"
    )
    private static let test: Whole = (
        Localized(ko: "알림이 잘 와요", en: "Notifications arrive"),
        Localized(ko: "이 기기에서 알림을 받아요.", en: "This device gets notifications."), "/settings", "high"
    )
    private static let ends = [
        "countdown": (
            title: Localized(ko: "정한 시간이 다 됐어요", en: "Your time is up"),
            text: Localized(ko: "타이머는 계속 재고 있어요. 더 공부한 시간도 인정돼요.", en: "The timer goes on and counts the extra time.")
        ),
        "work": (
            title: Localized(ko: "쉴 시간이에요", en: "Time for a rest"),
            text: Localized(ko: "‘지금 쉬기’를 누르면 쉬는 시간이 시작돼요.", en: "Your rest begins when you pause the timer.")
        ),
        "rest": (
            title: Localized(ko: "다시 시작할 시간이에요", en: "Your rest is over"),
            text: Localized(ko: "이어서 하려면 타이머를 다시 시작해 주세요.", en: "Resume the timer to go on.")
        ),
    ]
}
