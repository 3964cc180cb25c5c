import API
import HTTP
import Postgres
import Time

/// A group's badge as one SVG that needs nothing else: no script, no font, nothing from elsewhere.
struct BadgePicture {
    let badge: Badge
    let language: Language
    let theme: Badge.Theme

    var svg: String {
        let height = badge.monthGoalSeconds == nil ? 96 : 116
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 \(height)" width="400" height="\(height)" role="img" \
            aria-label="\(Picture.escaped(summary))" font-family="\(Picture.fonts)">
            <style>\(style)</style>
            <rect class="card" x="1" y="1" width="398" height="\(height - 2)" rx="18" stroke-width="2"/>
            <circle cx="48" cy="48" r="27" fill="none" stroke="\(ring)" stroke-width="4"/>
            \(sign)
            <text class="ink" x="92" y="32" font-size="17" font-weight="700">\
            \(Picture.escaped(Picture.cut(badge.name, toEms: 17)))</text>
            <text x="92" y="60"><tspan class="leaf" font-size="24" font-weight="800">\
            \(Picture.hours(badge.figures.seconds))</tspan>\
            <tspan class="soft" dx="8" font-size="14">\(Picture.escaped(together))</tspan></text>
            <text class="soft" x="92" y="82" font-size="13">\(Picture.escaped(members))\
            \(studying.map { "<tspan class=\"leaf\" dx=\"10\">●</tspan><tspan dx=\"4\">\(Picture.escaped($0))</tspan>" } ?? "")\
            </text>
            \(bar)
            </svg>

            """
    }

    /// The emoji, or else the first letter of the name.
    private var sign: String {
        if let emoji = badge.emoji {
            return "<text x=\"48\" y=\"58\" text-anchor=\"middle\" font-size=\"28\">\(Picture.escaped(emoji))</text>"
        }
        return """
            <text class="ink" x="48" y="57" text-anchor="middle" font-size="25" font-weight="700">\
            \(Picture.escaped(String(badge.name.prefix(1))))</text>
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

    private var goalPercent: Int? {
        badge.monthGoalSeconds.map { badge.figures.seconds * 100 / $0 }
    }

    // MARK: Words

    private var together: String {
        let month = Picture.month(badge.figures.month.monthText, language).name
        switch language {
        case .ko: return "\(month)에 함께한 시간"
        case .en: return "together in \(month)"
        }
    }

    private var members: String {
        let count = badge.figures.memberCount
        switch language {
        case .ko: return "\(count)명"
        case .en: return count == 1 ? "1 member" : "\(count) members"
        }
    }

    private var studying: String? {
        let count = badge.figures.studying
        if count == 0 { return nil }
        switch language {
        case .ko: return "지금 \(count)명 공부 중"
        case .en: return "\(count) studying now"
        }
    }

    private func goal(_ percent: Int) -> String {
        switch language {
        case .ko: "목표의 \(percent)%"
        case .en: "\(percent)% of goal"
        }
    }

    private var summary: String {
        let figures = "\(Picture.hours(badge.figures.seconds)) \(together)"
        return ([badge.name, figures, members] + [studying, goalPercent.map(goal)].compactMap { $0 })
            .joined(separator: ", ")
    }

    // MARK: Colours

    private var style: String {
        switch theme {
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
        switch badge.colour {
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
