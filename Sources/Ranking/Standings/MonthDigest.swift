import API
import HTTP
import Mail

/// What a member is told about a month that was closed.
struct MonthDigest: Sendable {
    struct Winner: Sendable {
        let rank: Int
        /// nil if they hide, or have no account any more.
        let name: String?
        /// nil of someone who hides.
        let seconds: Int?
    }

    let group: String
    let groupID: String
    /// As `2026-10`.
    let month: String
    let rank: Int
    let participants: Int
    /// The member's own.
    let seconds: Int
    let podium: [Winner]

    /// For a member who asked for it, once a month of a group is closed.
    func letter(to: Mailbox, baseURL: String, optOut: String, language: Language) -> Message {
        let month = Localized.month(self.month)
        let own = Localized.duration(seconds)
        let winners = podium.map { winner in
            let time = winner.seconds.map(Localized.duration)
            let nobody = time == nil ? Localized.someone : Localized.someoneWhoLeft
            let ko = [winner.name ?? nobody.ko, time?.ko].compactMap(\.self)
            let en = [winner.name ?? nobody.en, time?.en].compactMap(\.self)
            return Localized(
                ko: "\(winner.rank)위 \(ko.joined(separator: ", "))", en: "\(winner.rank). \(en.joined(separator: ", "))"
            )
        }
        return Letter(
            subject: Localized(
                ko: "\(group): \(month.ko) 순위가 확정됐어요", en: "\(month.en) results: \(group)"),
            before: [
                Localized(
                    ko: "\(participants)명 중 \(rank)위예요. \(month.ko)에 \(own.ko) 공부했어요.",
                    en: "You finished \(Self.place(rank)) of \(participants). You studied \(own.en) in \(month.en)."
                )
            ] + winners,
            action: .init(
                label: Localized(ko: "확정된 순위 보기", en: "See the final board"),
                link: "\(baseURL)/groups/\(groupID)?period=month&at=\(self.month)"),
            after: [],
            optOut: optOut
        ).message(to: to, in: language)
    }

    /// 1st, 2nd, 3rd, 11th.
    private static func place(_ rank: Int) -> String {
        let ending =
            switch (rank % 100, rank % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            default: "th"
            }
        return "\(rank)\(ending)"
    }
}
