import API
import Foundation
import HTTP
import Time

/// What an event says to a receiver, in the form that its kind takes.
struct WebhookMessage: Sendable {
    private let event: String
    private let createdAt: String
    private let data: String
    private let facts: WebhookFacts
    private let baseURL: String

    /// Throws when what the database says is not what it should be.
    init(_ delivery: WaitingDelivery, baseURL: String) throws {
        event = delivery.event
        createdAt = delivery.createdAt.description
        data = delivery.data
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        facts = try decoder.decode(WebhookFacts.self, from: Data(data.utf8))
        self.baseURL = baseURL
    }

    /// The body of the request.
    func bytes(for kind: WebhookKind, in language: Language) throws -> [UInt8] {
        switch kind {
        case .json:
            let document = Document(type: event, timestamp: createdAt, data: JSON(text: Array(data.utf8)) ?? .null)
            return try JSON.bytes(document)
        // Names must not mention anyone there, and links must not show a preview.
        case .discord: return try JSON.bytes(DiscordMessage(content: text(in: language, .discord)))
        case .slack: return try JSON.bytes(SlackMessage(text: text(in: language, .slack)))
        }
    }

    private struct Document: Encodable {
        let type: String
        let timestamp: String
        let data: JSON
    }

    private struct DiscordMessage: Encodable {
        let content: String
        let flags = 4
        let allowedMentions = ["parse": [String]()]
    }

    private struct SlackMessage: Encodable {
        let text: String
        let unfurlLinks = false
        let unfurlMedia = false
    }

    private func text(in language: Language, _ channel: ChannelText) -> String {
        let (title, lines, query) = words(channel.plain(facts.group.name), channel)
        let address = "\(baseURL)/groups/\(facts.group.id)\(query)"
        return ([channel.bold(title[language])] + lines.map { $0[language] } + [address]).joined(separator: "\n")
    }

    private func words(_ group: String, _ channel: ChannelText) -> (Localized, [Localized], query: String) {
        if let month = facts.month, let named = Localized(month: month) {
            let title = Localized(ko: "\(group): \(named.ko) 순위가 확정됐어요", en: "\(group): \(named.en) is final")
            return (title, places(channel), "?period=month&at=\(month)")
        }
        if let week = facts.week {
            let title = Localized(ko: "\(group): \(week)부터 한 주의 순위예요", en: "\(group): the week from \(week)")
            return (title, places(channel), "?period=week&at=\(week)")
        }
        if let count = facts.memberCount {
            let name = facts.nickname.map(channel.plain)
            let title = Localized(
                ko: "\(name.map { "\($0) 님이" } ?? "비공개 멤버가") \(group) 모임에 들어왔어요",
                en: "\(name ?? "Someone") joined \(group)")
            return (title, [Localized(ko: "이제 \(count)명이에요", en: "Members now: \(count)")], "")
        }
        let title = Localized(ko: "\(group): 웹훅이 잘 와요", en: "\(group): the webhook works")
        return (title, [Localized(ko: "공부 개미가 보낸 테스트예요", en: "This is a test by Anthill")], "")
    }

    private static let someone = Localized(ko: "비공개 멤버", en: "someone")
    private static let someoneWhoLeft = Localized(ko: "탈퇴한 멤버", en: "someone who left")

    private func places(_ channel: ChannelText) -> [Localized] {
        let entries = facts.entries ?? []
        if entries.isEmpty { return [Localized(ko: "공부한 사람이 없어요", en: "Nobody studied")] }
        return entries.map { entry in
            let nobody = entry.hidden ? Self.someone : Self.someoneWhoLeft
            let name = entry.nickname.map(channel.plain)
            let time = entry.seconds.map(Localized.duration)
            return Localized(
                ko: "\(entry.rank)위 \([name ?? nobody.ko, time?.ko].compactMap(\.self).joined(separator: ", "))",
                en: "\(entry.rank). \([name ?? nobody.en, time?.en].compactMap(\.self).joined(separator: ", "))")
        }
    }
}

/// What an event says: `webhook_data` in `sql/functions/webhooks.sql`.
private struct WebhookFacts: Decodable, Sendable {
    struct Group: Decodable {
        let id: String
        let name: String
    }

    struct Entry: Decodable {
        let rank: Int
        let hidden: Bool
        let nickname: String?
        let seconds: Int?
    }

    let group: Group
    let month: String?
    let week: String?
    let entries: [Entry]?
    let nickname: String?
    let memberCount: Int?
}

/// How a channel writes text: names format nothing there and call nobody.
private struct ChannelText: Sendable {
    let plain: @Sendable (String) -> String
    let bold: @Sendable (String) -> String

    static let discord = ChannelText(
        plain: { $0.replacing(#/[\\*_~`|>#\[\]()<@:-]/#) { "\\\($0.output)" } }, bold: { "**\($0)**" })

    /// A mark of Slack formats only beside a space or the end of a line, so a joiner takes its power.
    static let slack = ChannelText(
        plain: {
            $0.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
                .replacing(#/[*_~`]/#) { "\u{2060}\($0.output)\u{2060}" }
        }, bold: { "*\($0)*" })
}
