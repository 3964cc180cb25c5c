import API
import HTTP
import Postgres
import Time

/// A session as a calendar shows it.
struct CalendarSession: Sendable {
    let id: ID
    let start: Instant
    let end: Instant
    /// What was studied, without pauses.
    let seconds: Int
    let changedAt: Instant
    let subject: String?
    let task: String?
    let note: String?
}

/// Sessions as a file of a calendar (RFC 5545). Equal sessions make equal bytes.
struct CalendarFile: Sendable {
    let sessions: [CalendarSession]
    let language: Language
    /// What makes the names of sessions unique in the world.
    let host: String

    private static let study = Localized(ko: "공부", en: "Study")

    var text: String {
        var lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Anthill//Sessions//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH",
            "NAME:\(Localized.anthill[language])", "X-WR-CALNAME:\(Localized.anthill[language])",
            "REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H",
        ]
        for session in sessions { lines += event(session) }
        lines.append("END:VCALENDAR")
        return lines.map(Self.folded).joined()
    }

    private func event(_ session: CalendarSession) -> [String] {
        let what = [session.subject, session.task].compactMap(\.self).joined(separator: ": ")
        let said = [Localized.duration(session.seconds)[language], session.note ?? ""].filter { !$0.isEmpty }
        return [
            "BEGIN:VEVENT", "UID:\(session.id)@\(host)", "DTSTAMP:\(Self.utc(session.changedAt))",
            "LAST-MODIFIED:\(Self.utc(session.changedAt))", "DTSTART:\(Self.utc(session.start))",
            "DTEND:\(Self.utc(session.end))",
            "SUMMARY:\(Self.escaped(what.isEmpty ? Self.study[language] : what))",
            "DESCRIPTION:\(Self.escaped(said.joined(separator: "\n")))", "TRANSP:TRANSPARENT", "CLASS:PRIVATE",
            "END:VEVENT",
        ]
    }

    /// `20261121T050000Z`.
    private static func utc(_ instant: Instant) -> String { instant.description.filter { $0 != "-" && $0 != ":" } }

    /// Text as a value (3.3.11). Characters of control are left out, as they are not allowed.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", ";", ",": escaped += "\\\(scalar)"
            case "\n": escaped += "\\n"
            case "\t": escaped += " "
            case "\u{0}"..."\u{1F}", "\u{7F}": break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A line with its end; what is longer than 75 bytes goes on in further lines, which begin with a space (3.1). No
    /// character is divided.
    static func folded(_ line: String) -> String {
        var (folded, bytes) = ("", 0)
        for scalar in line.unicodeScalars {
            let length = UTF8.width(scalar)
            if bytes + length > 75 {
                folded += "\r\n "
                bytes = 1
            }
            folded.unicodeScalars.append(scalar)
            bytes += length
        }
        return folded + "\r\n"
    }
}
