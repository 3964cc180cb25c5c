import API
import HTTP

/// A closed month's podium as one SVG that needs nothing else: a picture to keep and to share. The first three as they
/// stand after all amendments; of those who hide nothing but their place.
struct PodiumPicture {
    private let standings: Standings
    private let language: Language

    init(_ standings: Standings, language: Language) {
        self.standings = standings
        self.language = language
    }

    var svg: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 420" width="720" height="420" role="img" \
        aria-label="\(SVGText.escaped(summary))" font-family="\(SVGText.fonts)">
        <rect width="720" height="420" rx="24" fill="#3b2a1e"/>
        <text x="360" y="52" text-anchor="middle" font-size="22" font-weight="700" fill="#fbf3e2">\
        \(SVGText.escaped(SVGText.cut(standings.group.name, toEms: 30)))</text>
        <text x="360" y="82" text-anchor="middle" font-size="16" fill="#dcc9ac">\(SVGText.escaped(caption))</text>
        \(places.map(hill).joined(separator: "\n"))
        <text x="360" y="404" text-anchor="middle" font-size="12" fill="#dcc9ac" font-family="monospace">\
        SHA-256 \(standings.sha256.prefix(32))…</text>
        </svg>

        """
    }

    private struct Place {
        let rank: Int
        let name: String
        /// nil of someone who hides.
        let seconds: Int?
        let x: Int
    }

    /// The winner in the middle.
    private var places: [Place] {
        let shown = standings.entries.filter { $0.amendedPlace <= 3 && $0.amendedSeconds ?? 1 > 0 }
            .sorted { $0.amendedPlace < $1.amendedPlace }
        return zip(shown, [360, 150, 570]).map { entry, x in
            let nobody = entry.hidden ? Localized.someone : Localized.someoneWhoLeft
            return Place(
                rank: entry.amendedRank, name: entry.nickname ?? nobody[language], seconds: entry.amendedSeconds, x: x)
        }
    }

    private func hill(_ place: Place) -> String {
        let top = [1: 270, 2: 310, 3: 335][place.rank] ?? 335
        let medal = [1: ("#edb63b", "#9a6a08"), 2: ("#cfcbc0", "#7c766a")][place.rank] ?? ("#dda077", "#96562d")
        return """
            <path d="M\(place.x - 130) 380C\(place.x - 80) \(top - 20) \(place.x + 80) \(top - 20) \(place.x + 130) 380Z" \
            fill="\(place.rank == 1 ? "#6d5038" : "#4d3828")"/>
            <circle cx="\(place.x)" cy="\(top - 110)" r="24" fill="\(medal.0)" stroke="\(medal.1)" stroke-width="3"/>
            <text x="\(place.x)" y="\(top - 101)" text-anchor="middle" font-size="26" font-weight="800" fill="#2b2118">\
            \(place.rank)</text>
            <text x="\(place.x)" y="\(top - 58)" text-anchor="middle" font-size="18" font-weight="700" fill="#fbf3e2">\
            \(SVGText.escaped(SVGText.cut(place.name, toEms: 11)))</text>
            <text x="\(place.x)" y="\(top - 30)" text-anchor="middle" font-size="22" font-weight="800" \
            fill="\(place.rank == 1 ? "#f2c14e" : "#fbf3e2")">\(place.seconds.map(hoursAndMinutes) ?? "–")</text>
            """
    }

    private var caption: String {
        let people = standings.entries.count
        let all = Localized(ko: "\(people)명이 함께한 달", en: "\(people) \(people == 1 ? "person" : "people")")
        return "\(Localized.monthAndYear(standings.month)[language]), \(all[language])"
    }

    private var summary: String {
        let winners = places.map { place in
            (["\(place.rank).", place.name] + [place.seconds].compactMap { $0.map(hoursAndMinutes) }).joined(
                separator: " ")
        }
        return ([standings.group.name, caption] + winners).joined(separator: ", ")
    }
}
