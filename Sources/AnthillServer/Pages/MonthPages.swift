import API
import Foundation
import HTTP
import Ranking
import Time

/// The pages of a group's closed months, for everybody: they need neither an account nor a script.
struct MonthPages: Sendable {
    let frame: PageFrame

    /// All of them, with the seal of each.
    func list(_ months: MonthsAnswer, _ look: Look, for reader: WrittenPage.Reader) -> Response {
        let language = look.language
        let rows = months.items.map { each -> Markup in
            let name = Localized.monthAndYear(each.month)[language]
            return """
                <tr><th scope="row"><a href="/groups/\(months.group.id)/months/\(each.month)">\(name)</a></th>\
                <td>\(each.participants)</td><td><code>\(each.sha256.prefix(16))</code></td></tr>

                """
        }
        let table: Markup = """
            <table class="parts months-list">
            <thead><tr><th scope="col">\(Words.month[language])</th><th scope="col">\(Words.people[language])</th>\
            <th scope="col">\(Words.seal[language])</th></tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table>
            """
        return document(
            look, months.group, title: months.group.name, reader,
            """
            <div class="head"><h1><bdi>\(months.group.name)</bdi></h1></div>
            <section class="card"><h2>\(Words.all[language])</h2>
            \(rows.isEmpty ? "<p class=\"muted\">\(Words.none[language])</p>" : table)
            </section>
            """)
    }

    /// One of them.
    func month(_ month: MonthAnswer, _ look: Look, for reader: WrittenPage.Reader) -> Response {
        let (language, group) = (look.language, month.group)
        let name = Localized.monthAndYear(month.month)[language]
        let content: Markup = """
            <p><a href="/groups/\(group.id)/months">\(Words.all[language])</a></p>
            <div class="head"><h1><bdi>\(group.name)</bdi>, \(name)</h1></div>
            <div class="lay">
            <section class="card flat"><p class="small muted">\(Words.since[language]) \
            \(Self.time(month.closedAt, month.rules.timeZone, language)) \(month.rules.timeZone)</p>
            \(MonthTable(month, frame: frame, language: language).markup)</section>
            <aside class="side" aria-label="\(Words.about[language])">
            \(rules(of: month, language))
            \(seal(month, language))
            \(month.amendments.isEmpty ? "" : amendments(month, language))
            </aside>
            </div>
            """
        return document(look, group, title: "\(name) · \(group.name)", reader, content)
    }

    /// For everybody's caches, which ask each time whether it is still so. Search engines leave it out.
    private func document(
        _ look: Look, _ group: MonthsAnswer.Group, title: String, _ reader: WrittenPage.Reader, _ content: Markup
    ) -> Response {
        var response = frame.document(
            look, title: title, head: "<meta name=\"robots\" content=\"noindex\">", for: reader,
            content: "\(content)\(reader.isMember ? "" : invitation(look.language))")
        response.headers.set("Cache-Control", "public, no-cache")
        response.headers.add("Vary", "Accept-Language, Cookie")
        response.headers.set("X-Robots-Tag", "noindex")
        return response
    }

    private func rules(of month: MonthAnswer, _ language: Language) -> Markup {
        let rules = month.rules
        let points = [
            Words.clock(rules.dayStartsAt, rules.timeZone), Words.cap(rules.dailyCapSeconds),
            rules.manualCounts ? Words.manual : Words.timerOnly,
        ]
        return """
            <section class="card" aria-labelledby="rules">
            <header><h2 id="rules">\(Words.rules[language])</h2></header>
            <ul class="points">\(points.map { "<li>\($0[language])</li>" as Markup })\
            \(month.clockChanges.map { clockChange($0, rules.timeZone, language) })</ul>
            </section>
            """
    }

    private func clockChange(_ change: ClockChange, _ zone: String, _ language: Language) -> Markup {
        let (from, until) = (Self.time(change.startsAt, zone, language), Self.time(change.endsAt, zone, language))
        let isTwice = change.counted == .both
        return switch language {
        case .ko:
            """
            <li>모임의 공부 시계가 바뀌어서, \(from)부터 \(until)까지의 공부는 \
            \(isTwice ? "두 달에 모두 들어가요" : "어느 달에도 들어가지 않아요").</li>
            """
        case .en:
            """
            <li>The group’s clock changes: study from \(from) to \(until) \
            counts in \(isTwice ? "both months" : "neither month").</li>
            """
        }
    }

    private func seal(_ month: MonthAnswer, _ language: Language) -> Markup {
        let fours = stride(from: 0, to: 64, by: 4).map { month.sha256.dropFirst($0).prefix(4) }
        let data = "/api/v1/groups/\(month.group.id)/public-standings/\(month.month)"
        return """
            <section class="card seal" aria-labelledby="seal">
            <div class="head">\(frame.art("i-seal", "i-s"))<h2 id="seal">\(Words.seal[language])</h2></div>
            \(Self.strata(month.sha256))
            <p class="hash"><b>\(fours.prefix(4).joined(separator: " "))</b> \(fours.dropFirst(4).joined(separator: " "))</p>
            <p class="small muted">\(Words.sealed[language])</p>
            <p class="small"><a href="\(data)" download="anthill-\(month.month).json">\(Words.data[language])</a></p>
            <p class="small"><a href="/help#check">\(Words.check[language])</a></p>
            </section>
            """
    }

    private func amendments(_ month: MonthAnswer, _ language: Language) -> Markup {
        let all = month.amendments.map { each -> Markup in
            var change: Markup = ""
            if let old = each.oldRank, let new = each.newRank, let before = each.oldSeconds, let after = each.newSeconds
            {
                let rank = { (rank: Int) in old == new ? "" : "\(Words.rank(rank)[language]), " }
                change = """
                    : <span class="was num">\(rank(old))\(hoursAndMinutes(before))</span> → \
                    <b class="num">\(rank(new))\(hoursAndMinutes(after))</b>
                    """
            }
            let name: Markup = each.nickname.map { "<bdi>\($0)</bdi>" } ?? "\(Words.somebody[language])"
            return "<p>\(name)\(change)</p><p class=\"small muted\">\(each.reason ?? "")</p>"
        }
        return """
            <section class="card amended" aria-labelledby="amended">
            <header><h2 id="amended">\(Words.amendments[language])</h2></header>
            \(all)
            </section>
            """
    }

    private func invitation(_ language: Language) -> Markup {
        "<p class=\"small muted onward\">\(Words.anthill[language]) <a href=\"/\">\(Words.more[language])</a></p>"
    }

    /// A digest as layers of soil, as `js/boards/strata.js` draws it.
    private static func strata(_ sha256: String) -> Markup {
        let bytes = stride(from: 0, to: sha256.count, by: 2).map { Int(sha256.dropFirst($0).prefix(2), radix: 16) ?? 0 }
        let bars = bytes.enumerated().map { index, byte -> Markup in
            let height = 5 + (byte * 34 + 127) / 255
            return """
                <rect x="\(0.5 + Double(index) * 3.125)" y="\(44 - height)" width="2.1" height="\(height)" rx="2"/>
                """
        }
        return """
            <svg class="strata" viewBox="0 0 100 44" preserveAspectRatio="none" aria-hidden="true">\
            <g fill="currentColor">\(bars)</g></svg>
            """
    }

    /// On the clocks of the group's zone: `3 November 2026, 05:00`.
    private static func time(_ instant: Instant, _ zone: String, _ language: Language) -> Markup {
        let date = Date(timeIntervalSince1970: TimeInterval(instant.secondsSince1970))
        let east = TimeZone(identifier: zone)?.secondsFromGMT(for: date) ?? 0
        let local = (instant + east).description
        let month = Localized.monthAndYear(String(local.prefix(7)))[language]
        let day = Int(local.dropFirst(8).prefix(2)) ?? 0
        let shown = language == .ko ? "\(month) \(day)일" : "\(day) \(month),"
        return """
            <time datetime="\(instant)" class="nowrap">\(shown) \(local.dropFirst(11).prefix(5))</time>
            """
    }

    private enum Words {
        static func rank(_ rank: Int) -> Localized { Localized(ko: "\(rank)위", en: "rank \(rank)") }
        static let all = Localized(ko: "확정된 달", en: "Final months")
        static let none = Localized(ko: "아직 확정된 달이 없어요.", en: "No month is final yet.")
        static let month = Localized(ko: "달", en: "Month")
        static let people = Localized(ko: "인원", en: "People")
        static let since = Localized(ko: "확정:", en: "Final since")
        static let about = Localized(ko: "이 달에 대해", en: "About this month")
        static let rules = Localized(ko: "이 달의 규칙", en: "The rules of this month")
        static func clock(_ time: String, _ zone: String) -> Localized {
            Localized(
                ko: "하루는 \(zone) 시각 \(time)에 시작해요. 그 전까지는 어제 기록이에요.",
                en: "A study day ends at \(time) \(zone). Study before then counts for yesterday.")
        }
        static func cap(_ seconds: Int) -> Localized {
            let most = Localized.duration(seconds)
            return Localized(ko: "하루 최대 \(most[.ko])까지 인정돼요.", en: "Up to \(most[.en]) a day count.")
        }
        static let manual = Localized(
            ko: "직접 입력한 시간도 인정돼요. 이름 아래의 %가 직접 입력한 비율이고, 막대에서는 점선이에요.",
            en: "Time added by hand counts too. The % below each name is the share added by hand, dashes in the bar.")
        static let timerOnly = Localized(ko: "타이머로 잰 시간만 인정돼요.", en: "Only time with the timer counts.")
        static let seal = Localized(ko: "봉인", en: "Seal")
        static let sealed = Localized(
            ko: "확정된 순위의 지문이에요. 순위가 조금이라도 바뀌면 지문이 달라져요.",
            en: "The fingerprint of the final ranks. If anything in them changes, so does the fingerprint.")
        static let data = Localized(ko: "확인용 데이터 받기 (JSON)", en: "Download the data to check (JSON)")
        static let check = Localized(ko: "직접 확인하는 방법", en: "How to check it yourself")
        static let amendments = Localized(ko: "정정", en: "Amendments")
        static let somebody = Localized(ko: "비공개이거나 탈퇴한 멤버", en: "Someone who is hidden or has left")
        static let anthill = Localized(
            ko: "공부 개미는 함께 공부하는 사람들의 타이머와 순위표예요.",
            en: "Anthill is a timer and a board for people who study together.")
        static let more = Localized(ko: "더 알아보기", en: "Find out more")
    }
}
