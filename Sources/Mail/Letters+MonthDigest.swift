import HTTP

/// What a member is told about a month that was closed.
package struct MonthDigest: Sendable {
    package struct Winner: Sendable {
        let rank: Int
        let name: String
        let seconds: Int

        package init(rank: Int, name: String, seconds: Int) {
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
        let (hours, minutes) = (digest.seconds / 3600, digest.seconds / 60 % 60)
        let month = Int(digest.month.suffix(2)) ?? 0
        let winners = digest.podium.map { winner in
            let (hours, minutes) = (winner.seconds / 3600, winner.seconds / 60 % 60)
            return Localized(
                ko: "\(winner.rank)위 \(winner.name), \(hours)시간 \(minutes)분",
                en: "\(winner.rank). \(winner.name), \(hours) h \(minutes) min")
        }
        return Letter(
            subject: Localized(
                ko: "\(digest.group): \(month)월 순위가 확정됐어요", en: "\(digest.group): \(digest.month) is final"),
            before: [
                Localized(
                    ko: "\(digest.participants)명 가운데 \(digest.rank)위예요. 이 달에 \(hours)시간 \(minutes)분을 공부했어요.",
                    en:
                        "You are number \(digest.rank) of \(digest.participants). You studied \(hours) h \(minutes) min this month."
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
}
