import API
import HTTP

/// The final board of a closed month as a table, as `js/boards/board.js` shows it.
struct MonthTable {
    /// By what holds now.
    private let entries: [MonthAnswer.Entry]
    /// The time of the first.
    private let mostSeconds: Int
    /// How many have each rank.
    private let holders: [Int: Int]
    private let frame: PageFrame
    private let language: Language

    init(_ month: MonthAnswer, frame: PageFrame, language: Language) {
        entries = month.entries.sorted { $0.amendedPlace < $1.amendedPlace }
        mostSeconds = month.entries.compactMap(\.amendedSeconds).max() ?? 0
        holders = Dictionary(month.entries.map { ($0.amendedRank, 1) }, uniquingKeysWith: +)
        (self.frame, self.language) = (frame, language)
    }

    var markup: Markup {
        """
        <table class="board final">
        <caption class="vh">\(Words.caption[language])</caption>
        <thead><tr><th scope="col">\(Words.rank[language])</th><th scope="col">\(Words.name[language])</th>\
        <th scope="col" class="grown">\(Words.growth[language])</th><th scope="col">\(Words.time[language])</th></tr></thead>
        <tbody>
        \(entries.map(row))
        </tbody>
        </table>
        """
    }

    private func row(_ entry: MonthAnswer.Entry) -> Markup {
        """
        <tr class="\(entry.hidden ? "someone" : entry.amendedRank == 1 ? "top1" : "")">
        <td class="rank"><div>\(place(entry))</div></td>
        <th scope="row"><div class="who">\(face(entry))<span class="nick">\(name(entry))</span>\(tunnel(entry))\
        \(below(entry))</div></th>
        <td class="grown">\(growth(entry))</td>
        <td class="time">\(time(entry.amendedSeconds))</td>
        </tr>

        """
    }

    private func place(_ entry: MonthAnswer.Entry) -> Markup {
        guard entry.amendedRank <= 3, !entry.hidden, entry.amendedSeconds ?? 0 > 0 else {
            return "<span class=\"n\">\(entry.amendedRank)</span>"
        }
        return "\(frame.art("medal-\(entry.amendedRank)", "medal"))<span class=\"vh\">\(entry.amendedRank)</span>"
    }

    /// The first letter of the name, in a colour of the person.
    private func face(_ entry: MonthAnswer.Entry) -> Markup {
        guard let letter = entry.nickname?.first, let person = entry.person else {
            return "<span class=\"face nobody\" aria-hidden=\"true\"></span>"
        }
        let colour = (Int(person.suffix(6), radix: 16) ?? 0) % 6 + 1
        return "<span class=\"face f\(colour)\" aria-hidden=\"true\">\(String(letter))</span>"
    }

    private func name(_ entry: MonthAnswer.Entry) -> Markup {
        if entry.hidden { return "\(Localized.someone[language])" }
        return entry.nickname.map { "<bdi>\($0)</bdi>" } ?? "\(Localized.someoneWhoLeft[language])"
    }

    /// The bar: solid for the timer, dashed for time added by hand, relative to the first.
    private func tunnel(_ entry: MonthAnswer.Entry) -> Markup {
        guard let seconds = entry.amendedSeconds, mostSeconds > 0 else { return "" }
        let share = { (part: Int) in "\((Double(part) / Double(mostSeconds) * 1000).rounded() / 10)%" }
        let timed = max(0, seconds - (entry.manualSeconds ?? 0))
        return """
            <svg class="tunnel" aria-hidden="true"><line class="bg" x1="0" x2="100%" y1="3" y2="3"/>\
            <line class="t" x1="0" x2="\(share(timed))" y1="3" y2="3"/>\
            <line class="m" x1="\(share(timed))" x2="\(share(seconds))" y1="3" y2="3"/></svg>
            """
    }

    /// The share added by hand, and whether others have the same rank.
    private func below(_ entry: MonthAnswer.Entry) -> Markup {
        guard let seconds = entry.amendedSeconds, seconds > 0 else { return "" }
        var said: [String] = []
        if let manual = entry.manualSeconds.map({ min(seconds, $0) }), manual > 0 {
            said.append("\(Words.byHand[language]) \(max(1, (100 * manual + seconds / 2) / seconds))%")
        }
        if holders[entry.amendedRank, default: 0] > 1 { said.append(Words.tied[language]) }
        return said.isEmpty ? "" : "<div class=\"sub\">\(said.map { "<span>\($0)</span>" as Markup })</div>"
    }

    private func growth(_ entry: MonthAnswer.Entry) -> Markup {
        guard let growth = entry.growth, entry.amendedSeconds ?? 0 > 0 else { return "–" }
        return "\(frame.art(growth, "a-32"))<span class=\"vh\">\(Words.grown[growth]?[language] ?? "")</span>"
    }

    private func time(_ seconds: Int?) -> Markup {
        guard let seconds else {
            return "<span aria-hidden=\"true\">–</span><span class=\"vh\">\(Words.untold[language])</span>"
        }
        return """
            <span aria-hidden="true">\(hoursAndMinutes(seconds))</span>\
            <span class="vh">\(Localized.duration(seconds)[language])</span>
            """
    }

    private enum Words {
        static let caption = Localized(ko: "확정된 순위", en: "Final ranks")
        static let rank = Localized(ko: "순위", en: "Rank")
        static let name = Localized(ko: "이름", en: "Member")
        static let growth = Localized(ko: "하루 평균", en: "Per day")
        static let time = Localized(ko: "시간", en: "Time")
        static let tied = Localized(ko: "공동", en: "tied")
        static let byHand = Localized(ko: "직접 입력", en: "by hand")
        static let untold = Localized(ko: "비공개", en: "not shown")
        static let grown = [
            "seed": Localized(ko: "씨앗", en: "Seed"), "sprout": Localized(ko: "새싹", en: "Sprout"),
            "apple": Localized(ko: "사과", en: "Apple"), "tree": Localized(ko: "사과나무", en: "Apple tree"),
        ]
    }
}
