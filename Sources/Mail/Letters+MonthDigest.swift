import HTTP

/// What a member is told about a month that was closed.
package struct MonthDigest: Sendable {
    package struct Winner: Sendable {
        let rank: Int
        /// nil of someone who hides, and of who has no account any more.
        let name: String?
        /// nil of someone who hides.
        let seconds: Int?

        package init(rank: Int, name: String?, seconds: Int?) {
            self.rank = rank
            self.name = name
            self.seconds = seconds
        }
    }

    let group: String
    let groupID: String
    let month: String
    let rank: Int
    let participants: Int
    let seconds: Int
    let podium: [Winner]

    /// `month` as `2026-10`; `seconds` are the member's own.
    package init(
        group: String, groupID: String, month: String, rank: Int, participants: Int, seconds: Int, podium: [Winner]
    ) {
        self.group = group
        self.groupID = groupID
        self.month = month
        self.rank = rank
        self.participants = participants
        self.seconds = seconds
        self.podium = podium
    }
}

extension Letters {
    /// For a member who asked for it, once a month of a group is closed.
    package func monthDigest(to: Mailbox, _ digest: MonthDigest, language: Language) -> Message {
        let month = Self.inWords(month: digest.month)
        let own = Self.inWords(seconds: digest.seconds)
        let winners = digest.podium.map { winner in
            let time = winner.seconds.map(Self.inWords(seconds:))
            let ko = [winner.name ?? (time == nil ? "비공개 멤버" : "탈퇴한 멤버"), time?.ko].compactMap(\.self)
            let en = [winner.name ?? (time == nil ? "someone" : "someone who left"), time?.en].compactMap(\.self)
            return Localized(
                ko: "\(winner.rank)위 \(ko.joined(separator: ", "))", en: "\(winner.rank). \(en.joined(separator: ", "))"
            )
        }
        return Letter(
            subject: Localized(
                ko: "\(digest.group): \(month.ko) 순위가 확정됐어요", en: "\(digest.group): \(month.en) is final"),
            before: [
                Localized(
                    ko: "\(digest.participants)명 가운데 \(digest.rank)위예요. \(month.ko)에 \(own.ko)을 공부했어요.",
                    en: "You are number \(digest.rank) of \(digest.participants). You studied \(own.en) in \(month.en)."
                )
            ] + winners,
            action: .init(
                label: Localized(ko: "확정된 순위 보기", en: "See the final board"),
                link: "\(baseURL)/groups/\(digest.groupID)?period=month&at=\(digest.month)"),
            after: [
                Localized(
                    ko: "이 메일은 설정에서 끌 수 있어요: \(baseURL)/settings",
                    en: "You can turn this mail off in the settings: \(baseURL)/settings")
            ]
        ).message(to: to, in: language)
    }

    private static func inWords(month: String) -> Localized {
        let number = Int(month.suffix(2)) ?? 1
        let names = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return Localized(ko: "\(number)월", en: names[(number + 11) % 12])
    }

    /// To the minute; what is nothing is left out.
    private static func inWords(seconds: Int) -> Localized {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        if hours == 0 { return Localized(ko: "\(minutes)분", en: "\(minutes) min") }
        if minutes == 0 { return Localized(ko: "\(hours)시간", en: "\(hours) h") }
        return Localized(ko: "\(hours)시간 \(minutes)분", en: "\(hours) h \(minutes) min")
    }
}
