import Accounts
import Foundation
import Groups
import HTTP
import Postgres
import Time

extension Leaderboard {
    /// The board as the API writes it. By hand, because this is the hottest answer: Foundation's encoder needs 215 µs
    /// for 20 entries and 6 neighbours, this 18.
    package var json: [UInt8] { (sharedText?.bytes ?? shared) + Self.rest(me, order) }

    func response(to request: Request) -> Response {
        .json(sharedText ?? SharedText(shared), Self.rest(me, order), for: request)
    }

    /// What follows on the part that readers share: a reader's own place, and the last brace.
    static func rest(_ me: Mine?, _ order: Order) -> [UInt8] {
        var text = BoardText(room: 2048)
        guard let me else {
            text.member("me", String?.none)
            text.close()
            return text.bytes
        }
        text.member("me") {
            $0.members(of: me.entry)
            if order != .seconds { $0.member(Order.seconds.gapName, String?.none) }
            $0.member(order.gapName, me.gapToNext)
            $0.member("neighbours", me.neighbours)
            $0.member("above", me.above)
        }
        text.close()
        return text.bytes
    }

    /// All that comes before the reader's own place.
    var shared: [UInt8] {
        var text = BoardText()
        text.open {
            if let group {
                $0.member("group") {
                    $0.member("id", group.id)
                    $0.member("name", group.name)
                }
            } else {
                $0.member("group", String?.none)
            }
            $0.member("order", order.rawValue)
            $0.member("period", period.rawValue)
            $0.member("at", at)
            $0.member("rules") {
                $0.member("time_zone", rules.timeZone)
                $0.member("day_starts_at", rules.dayStartsAt.description)
                $0.member("daily_cap_seconds", rules.dailyCapSeconds)
                $0.member("manual_counts", rules.manualCounts)
            }
            $0.member("starts_at", startsAt.description)
            $0.member("ends_at", endsAt.description)
            $0.member("clock_changes", clockChanges)
            $0.member("state", state.rawValue)
            $0.member("as_of", asOf.description)
            $0.member("participants", participants)
            if let days { $0.member("days", days) }
            $0.member("entries", entries)
            $0.member("next", next)
        }
        text.goOn()
        return text.bytes
    }
}

extension Leaderboard.Entry {
    /// As the API writes it.
    var json: [UInt8] {
        var text = BoardText(room: 256)
        text.entry(self)
        return text.bytes
    }
}

/// JSON text in the making. Names are written as they are, empty optionals as `null`.
private struct BoardText {
    private(set) var bytes: [UInt8] = []

    init(room: Int = 8192) { bytes.reserveCapacity(room) }

    /// Says that a member follows, which is written elsewhere.
    mutating func goOn() { raw(",") }

    /// Begins an object; ``close()`` ends it.
    mutating func open(_ members: (inout BoardText) -> Void) {
        raw("{")
        members(&self)
    }

    mutating func object(_ members: (inout BoardText) -> Void) {
        open(members)
        close()
    }

    mutating func close() { raw("}") }

    mutating func member(_ name: StaticString, _ members: (inout BoardText) -> Void) {
        self.name(name)
        object(members)
    }

    mutating func member(_ name: StaticString, _ entries: [Leaderboard.Entry]) {
        self.name(name)
        array(entries)
    }

    /// Entries that were written before.
    mutating func member(_ name: StaticString, _ texts: [[UInt8]]) {
        self.name(name)
        raw("[")
        for text in texts {
            separate()
            bytes += text
        }
        raw("]")
    }

    mutating func member(_ name: StaticString, _ changes: [ClockChange]) {
        self.name(name)
        raw("[")
        for change in changes {
            separate()
            object {
                $0.member("starts_at", change.startsAt.description)
                $0.member("ends_at", change.endsAt.description)
                $0.member("counted", change.counted.rawValue)
            }
        }
        raw("]")
    }

    private mutating func array(_ entries: [Leaderboard.Entry]) {
        raw("[")
        for entry in entries {
            separate()
            self.entry(entry)
        }
        raw("]")
    }

    mutating func entry(_ entry: Leaderboard.Entry) {
        object {
            switch entry {
            case .member(let member): $0.members(of: member)
            case .someone(let rank): $0.members(ofSomeoneAt: rank)
            }
        }
    }

    mutating func members(of member: Leaderboard.Member) {
        self.member("rank", member.rank)
        if let uid = member.uid { self.member("uid", uid) } else { self.member("uid", String?.none) }
        self.member("nickname", member.nickname)
        self.member("avatar_url", member.avatarURL)
        self.member("seconds", member.seconds)
        self.member("manual_seconds", member.manualSeconds)
        self.member("studying", member.studying)
        self.member("change", member.change)
        if let effort = member.effort {
            self.member("goal_permille", effort.goalPermille)
            self.member("days_met", effort.daysMet)
        }
    }

    mutating func members(ofSomeoneAt rank: Int) {
        member("rank", rank)
        member("hidden", true)
        for name: StaticString in ["uid", "nickname", "avatar_url", "seconds", "manual_seconds", "studying", "change"] {
            member(name, String?.none)
        }
    }

    mutating func member(_ name: StaticString, _ value: ID) {
        self.name(name)
        raw("\"")
        raw(value)
        raw("\"")
    }

    mutating func member(_ name: StaticString, _ value: AvatarURL?) {
        guard let value else { return member(name, String?.none) }
        self.name(name)
        raw("\"")
        raw(AvatarURL.beforeUID)
        raw(value.uid)
        raw(AvatarURL.beforeVersion)
        raw(value.version)
        raw("\"")
    }

    private mutating func raw(_ id: ID) {
        id.characters.span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        raw(value ? "true" : "false")
    }

    mutating func member(_ name: StaticString, _ value: Int?) {
        self.name(name)
        if let value { bytes.append(contentsOf: String(value).utf8) } else { raw("null") }
    }

    mutating func member(_ name: StaticString, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { raw("null") }
    }

    private mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        raw(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func separate() {
        guard let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") else { return }
        bytes.append(UInt8(ascii: ","))
    }

    private mutating func string(_ text: String) {
        raw("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): raw("\\\"")
            case UInt8(ascii: "\\"): raw("\\\\")
            case 0..<0x20:
                raw(byte < 0x10 ? "\\u000" : "\\u00")
                bytes.append(contentsOf: String(byte, radix: 16).utf8)
            default: bytes.append(byte)
            }
        }
        raw("\"")
    }

    private mutating func raw(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }
}
