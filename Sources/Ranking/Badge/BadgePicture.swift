import API
import Accounts
import HTTP
import Postgres
import Time

/// A badge as one SVG that needs nothing else: no script, no font, nothing from elsewhere.
struct BadgePicture {
    /// How it is drawn.
    let look: BadgeLook
    let name: String
    let colour: Colour
    /// nil for the first letter of the name.
    let emoji: String?
    let seconds: Int
    /// What was measured, after the hours.
    let measured: String
    /// The line below.
    let about: String
    let studying: String?
    let goalPercent: Int?

    var svg: String {
        let height = goalPercent == nil ? 96 : 116
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 \(height)" width="400" height="\(height)" role="img" \
            aria-label="\(SVGText.escaped(summary))" font-family="\(SVGText.fonts)">
            <style>\(style)</style>
            <rect class="card" x="1" y="1" width="398" height="\(height - 2)" rx="18" stroke-width="2"/>
            <circle cx="48" cy="48" r="27" fill="none" stroke="\(ring)" stroke-width="4"/>
            \(sign)
            <text class="ink" x="92" y="32" font-size="17" font-weight="700">\
            \(SVGText.escaped(SVGText.cut(name, toEms: 17)))</text>
            <text x="92" y="60"><tspan class="leaf" font-size="24" font-weight="800">\
            \(hoursAndMinutes(seconds))</tspan>\
            <tspan class="soft" dx="8" font-size="14">\(SVGText.escaped(measured))</tspan></text>
            <text class="soft" x="92" y="82" font-size="13">\(SVGText.escaped(about))\
            \(studying.map { "<tspan class=\"leaf\" dx=\"10\">●</tspan><tspan dx=\"4\">\(SVGText.escaped($0))</tspan>" } ?? "")\
            </text>
            \(bar)
            </svg>

            """
    }

    /// The emoji, or else the first letter of the name.
    private var sign: String {
        if let emoji {
            return "<text x=\"48\" y=\"58\" text-anchor=\"middle\" font-size=\"28\">\(SVGText.escaped(emoji))</text>"
        }
        return """
            <text class="ink" x="48" y="57" text-anchor="middle" font-size="25" font-weight="700">\
            \(SVGText.escaped(String(name.prefix(1))))</text>
            """
    }

    private var bar: String {
        guard let goalPercent else { return "" }
        return """
            <rect class="tunnel" x="92" y="94" width="170" height="7" rx="3.5"/>
            <rect class="done" x="92" y="94" width="\(170 * min(goalPercent, 100) / 100)" height="7" rx="3.5"/>
            <text class="soft" x="382" y="102" text-anchor="end" font-size="13">\(goal(goalPercent))</text>
            """
    }

    // MARK: Words

    private func goal(_ percent: Int) -> String {
        switch look.language {
        case .ko: "목표의 \(percent)%"
        case .en: "\(percent)% of goal"
        }
    }

    private var summary: String {
        let figures = "\(hoursAndMinutes(seconds)) \(measured)"
        return ([name, figures, about] + [studying, goalPercent.map(goal)].compactMap { $0 })
            .joined(separator: ", ")
    }

    // MARK: Colours

    private var style: String {
        switch look.theme {
        case .light: Self.light
        case .dark: Self.dark
        case .system: "\(Self.light)@media (prefers-color-scheme:dark){\(Self.dark)}"
        }
    }

    private static let light = rules(
        card: "#fffdf7", line: "#e2d7c1", ink: "#2b2118", soft: "#5a4b3c", leaf: "#2a6335", tunnel: "#ece2cd",
        done: "#2f6b3a")
    private static let dark = rules(
        card: "#1f1a13", line: "#383025", ink: "#f4ebdb", soft: "#cdbfa9", leaf: "#9ed48b", tunnel: "#332a1f",
        done: "#8fc77c")

    private static func rules(
        card: String, line: String, ink: String, soft: String, leaf: String, tunnel: String, done: String
    ) -> String {
        ".card{fill:\(card);stroke:\(line)}.ink{fill:\(ink)}.soft{fill:\(soft)}.leaf{fill:\(leaf)}"
            + ".tunnel{fill:\(tunnel)}.done{fill:\(done)}"
    }

    /// As the web app has it, the same in both themes.
    private var ring: String {
        switch colour {
        case .leaf: "#4d8f50"
        case .honey: "#b07a10"
        case .apple: "#cf5646"
        case .soil: "#a07c59"
        case .sky: "#3f86b5"
        case .plum: "#a3608f"
        case .stone: "#83807a"
        case .moss: "#7f8a2e"
        }
    }
}

extension BadgePicture {
    /// The badge of a group.
    init(_ badge: Badge, _ look: BadgeLook) {
        let figures = badge.figures
        let month = Localized.month(figures.month.monthText)[look.language]
        let together = Localized(ko: "\(month)에 함께한 시간", en: "together in \(month)")
        let members = Localized(
            ko: "\(figures.memberCount)명",
            en: figures.memberCount == 1 ? "1 member" : "\(figures.memberCount) members")
        let studying = Localized(ko: "지금 \(figures.studying)명 공부 중", en: "\(figures.studying) studying now")
        self.init(
            look: look, name: badge.name, colour: badge.colour, emoji: badge.emoji, seconds: figures.seconds,
            measured: together[look.language], about: members[look.language],
            studying: figures.studying == 0 ? nil : studying[look.language],
            goalPercent: badge.monthGoalSeconds.map { figures.seconds * 100 / $0 })
    }

    /// The badge of a person.
    init(_ badge: OwnBadge, _ look: BadgeLook) {
        let month = Localized.month(badge.firstDay.monthText)[look.language]
        let measured =
            switch badge.period {
            case .day: Localized(ko: "오늘 공부한 시간", en: "of study today")
            case .week: Localized(ko: "이번 주에 공부한 시간", en: "of study this week")
            case .month: Localized(ko: "\(month)에 공부한 시간", en: "of study in \(month)")
            }
        self.init(
            look: look, name: badge.nickname, colour: .leaf, emoji: nil, seconds: badge.seconds,
            measured: measured[look.language], about: Localized.anthill[look.language],
            studying: nil, goalPercent: nil)
    }
}
