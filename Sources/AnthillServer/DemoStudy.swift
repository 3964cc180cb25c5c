import HTTP
import Postgres
import Time

/// Twelve people and what they did in the six weeks before an instant, and now and then before that. All randomness is
/// seeded by the person and by how many days ago it was, so the same instant always has the same past.
struct DemoStudy {
    struct Person {
        /// The part of the address before the @.
        let mailbox: String
        let nickname: Localized
        /// Minutes of a usual day from Monday to Friday, and of one at the weekend.
        let minutes: (weekday: Int, weekend: Int)
        /// When a sitting usually begins, in hours after midnight (26 is 2 in the night), and its share of the day.
        let habits: [(hour: Double, share: Double)]
        /// Out of a hundred days, those without study.
        let idle: Int
        /// Out of a hundred sittings, those written down afterwards.
        var byHand = 0
        /// When the alarm rings, and on how many mornings out of a hundred its problem is solved.
        var alarm: (time: String, minutesAfterFive: Int, solved: Int)?
        var role = "member"
        var visibility = "shown"
        /// For how many minutes they have been studying now.
        var studiesFor: Int?
    }

    enum Deed {
        /// The timer, by the numbers of a subject and a task in ``subjects`` and ``tasks``.
        case start(subject: Int?, task: Int?)
        case pause, resume, stop
        /// A sitting written down afterwards.
        case log(from: Instant, until: Instant)
        /// The alarm's problem is solved.
        case wakeUp
    }

    struct Moment {
        let at: Instant
        let person: Int
        let deed: Deed
    }

    /// How many days ago the six weeks began, and how many the group: two months at least have been closed since.
    static let (busyDays, days) = (42, 75)
    /// The first of ``people`` is whom one signs in as; they alone have subjects and tasks.
    static let subjects = [
        (Localized(ko: "수학", en: "Maths"), "leaf"), (Localized(ko: "영어", en: "English"), "sky"),
        (Localized(ko: "전공", en: "Major"), "plum"), (Localized(ko: "코딩", en: "Coding"), "honey"),
    ]
    static let projects = [Localized(ko: "기말고사", en: "Final exams"), Localized(ko: "토익 900", en: "TOEIC 900")]
    /// Each with its estimate in hours, its project, its subject, and how many days ago it was done.
    static let tasks: [(title: Localized, hours: Int, project: Int, subject: Int, done: Int?)] = [
        (Localized(ko: "선형대수 연습 문제", en: "Linear algebra exercises"), 70, 0, 0, nil),
        (Localized(ko: "토익 단어 1,200개", en: "1,200 words for the TOEIC"), 60, 1, 1, nil),
        (Localized(ko: "자료구조 정리 노트", en: "Notes on data structures"), 45, 0, 2, 12),
        (Localized(ko: "기말 과제: 일정 앱", en: "Term project: a calendar app"), 80, 0, 3, nil),
    ]

    static let group = (
        name: Localized(ko: "새벽 다섯 시", en: "Five in the morning"),
        about: Localized(
            ko: "다섯 시에 하루를 시작하는 사람들. 천천히, 그래도 매일.", en: "We start the day at five. Slowly, but every day.")
    )
    /// Why the owner corrected a closed month of the fifth of ``people``.
    static let correction = Localized(
        ko: "산책한 45분이 섞여 있었다고 알렉스가 알려 줬어요.", en: "Alex told us that 45 minutes of it were a walk.")

    static let people = [
        Person(
            mailbox: "haneul", nickname: Localized(ko: "하늘", en: "Haneul"), minutes: (235, 440),
            habits: [(7.1, 0.2), (13.5, 0.3), (20, 0.5)],
            idle: 3, alarm: ("06:40", 100, 70), role: "owner"),
        Person(
            mailbox: "jiwoo", nickname: Localized(ko: "지우", en: "Jiwoo"), minutes: (300, 360),
            habits: [(9, 0.4), (14, 0.35), (21, 0.25)], idle: 4,
            alarm: ("06:20", 80, 60), studiesFor: 41),
        Person(
            mailbox: "minjun", nickname: Localized(ko: "민준", en: "Minjun"), minutes: (260, 480),
            habits: [(10, 0.5), (19.5, 0.5)], idle: 7),
        Person(
            mailbox: "seoyeon", nickname: Localized(ko: "서연", en: "Seoyeon"), minutes: (345, 380),
            habits: [(6.8, 0.3), (13, 0.4), (19, 0.3)],
            idle: 3, alarm: ("06:00", 60, 85), role: "admin"),
        Person(
            mailbox: "alex", nickname: Localized(ko: "알렉스", en: "Alex"), minutes: (210, 330),
            habits: [(15, 0.5), (21, 0.5)],
            idle: 12, byHand: 70),
        Person(
            mailbox: "doyoon", nickname: Localized(ko: "도윤", en: "Doyoon"), minutes: (180, 300), habits: [(20, 1)],
            idle: 15),
        Person(
            mailbox: "yuna", nickname: Localized(ko: "유나", en: "Yuna"), minutes: (280, 250),
            habits: [(11, 0.6), (20.5, 0.4)], idle: 6, byHand: 25,
            studiesFor: 13),
        Person(
            mailbox: "hyeonwoo", nickname: Localized(ko: "현우", en: "Hyeonwoo"), minutes: (330, 420),
            habits: [(21.5, 0.4), (26.8, 0.6)], idle: 8),
        Person(
            mailbox: "sora", nickname: Localized(ko: "소라", en: "Sora"), minutes: (150, 240),
            habits: [(12.5, 0.4), (19, 0.6)], idle: 14,
            visibility: "nickname"),
        Person(
            mailbox: "eunchae", nickname: Localized(ko: "은채", en: "Eunchae"), minutes: (220, 410),
            habits: [(8.5, 0.45), (16, 0.55)], idle: 6,
            alarm: ("07:00", 120, 50)),
        Person(
            mailbox: "jay", nickname: Localized(ko: "제이", en: "Jay"), minutes: (120, 200), habits: [(22.2, 1)], idle: 22
        ),
        Person(
            mailbox: "taeo", nickname: Localized(ko: "태오", en: "Taeo"), minutes: (290, 340),
            habits: [(10, 0.5), (17.5, 0.5)], idle: 9,
            visibility: "hidden"),
    ]
    /// So many days ago the first of ``people`` rested as planned.
    static let restedAgo = 20

    let now: Instant
    /// The study day of `now`, and its beginning.
    let today: Day
    let dawn: Instant

    /// Everything in the order in which it happened.
    var moments: [Moment] {
        DemoStudy.people.indices.flatMap(moments).sorted { ($0.at, $0.person) < ($1.at, $1.person) }
    }

    /// When the study day so many days ago began. Their clock, that of Seoul, is never changed.
    func dawn(ago: Int) -> Instant { dawn + -86_400 * ago }

    private func moments(of number: Int) -> [Moment] {
        let person = DemoStudy.people[number]
        let end = now + -60 * (person.studiesFor.map { $0 + 5 } ?? 0)
        var free = dawn(ago: DemoStudy.days) + 3600
        var moments: [Moment] = []
        for ago in stride(from: DemoStudy.days, through: 0, by: -1) {
            var chance = Chance(number * 1000 + ago)
            if let alarm = person.alarm, ago <= DemoStudy.busyDays {
                let at = dawn(ago: ago) + 60 * alarm.minutesAfterFive + Int.random(in: 15...100, using: &chance)
                let isSolved = Int.random(in: 0..<100, using: &chance) < alarm.solved
                if isSolved, at <= now { moments.append(Moment(at: at, person: number, deed: .wakeUp)) }
            }
            for (sitting, stretches) in sittings(of: number, ago, &free, &chance).enumerated() {
                let isByHand = Int.random(in: 0..<100, using: &chance) < person.byHand
                let written = stretches.last!.upperBound + Int.random(in: 240...1800, using: &chance)
                guard (isByHand ? written : stretches.last!.upperBound) <= end else { continue }
                if isByHand {
                    let deed = Deed.log(from: stretches.first!.lowerBound, until: stretches.last!.upperBound)
                    moments.append(Moment(at: written, person: number, deed: deed))
                } else {
                    moments += timed(stretches, by: number, ago, what: (ago + sitting) % DemoStudy.tasks.count)
                }
            }
        }
        if let minutes = person.studiesFor {
            moments.append(Moment(at: now + -60 * minutes, person: number, deed: .start(subject: nil, task: nil)))
        }
        return moments
    }

    /// The sittings of a study day, each a few stretches with breaks between. None begins before `free`, which moves
    /// on. Today everybody studies.
    private func sittings(
        of number: Int, _ ago: Int, _ free: inout Instant, _ chance: inout Chance
    ) -> [[Range<Instant>]] {
        let person = DemoStudy.people[number]
        let isResting = number == 0 && ago == DemoStudy.restedAgo
        let idle = ago > DemoStudy.busyDays ? max(70, person.idle) : person.idle
        let isIdle = Int.random(in: 0..<100, using: &chance) < idle
        if isResting || isIdle && ago > 0 { return [] }
        let isWeekend = (today.daysSince1970 - ago + 3) % 7 >= 5
        let usual = isWeekend ? person.minutes.weekend : person.minutes.weekday
        let minutes = usual * Int.random(in: 82...128, using: &chance) / 100
        return person.habits.compactMap { hour, share in
            let length = Int(Double(60 * minutes) * share)
            guard length >= 15 * 60 else { return nil }
            let usually = dawn(ago: ago) + Int((hour - 5) * 3600) + Int.random(in: -1200...1200, using: &chance)
            var at = max(usually, free)
            let count = max(1, (length + 2400) / 4800)
            let stretches = (0..<count).map { _ in
                let stretch = at..<(at + (length / count + Int.random(in: -240...240, using: &chance)))
                at = stretch.upperBound + Int.random(in: 200...900, using: &chance)
                return stretch
            }
            free = at + 600
            return stretches
        }
    }

    private func timed(_ stretches: [Range<Instant>], by number: Int, _ ago: Int, what: Int) -> [Moment] {
        var start = Deed.start(subject: nil, task: nil)
        if number == 0 {
            let (_, _, _, subject, done) = DemoStudy.tasks[what]
            start = .start(subject: subject, task: done.map { ago > $0 } ?? true ? what : nil)
        }
        return stretches.enumerated().flatMap { index, stretch in
            [
                Moment(at: stretch.lowerBound, person: number, deed: index == 0 ? start : .resume),
                Moment(
                    at: stretch.upperBound, person: number, deed: index == stretches.count - 1 ? .stop : .pause),
            ]
        }
    }
}

/// The same numbers for the same seed, always.
struct Chance: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) &* 0xd134_2543_de82_ef95 }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
