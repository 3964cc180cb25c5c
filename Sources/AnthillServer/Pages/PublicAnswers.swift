import Foundation
import HTTP
import Ranking
import Time

/// What the API tells strangers of a group's closed months.
struct MonthsAnswer: Decodable {
    struct Group: Decodable {
        let id: String
        let name: String
    }

    struct Item: Decodable {
        let month: String
        let sha256: String
        let participants: Int
    }

    let group: Group
    let items: [Item]
}

/// What it tells them of one of these.
struct MonthAnswer: Decodable {
    struct Entry: Decodable {
        let hidden: Bool
        let person: String?
        let nickname: String?
        let manualSeconds: Int?
        let amendedRank: Int
        let amendedPlace: Int
        let amendedSeconds: Int?
        let growth: String?
    }

    struct Rules: Decodable {
        let timeZone: String
        let dayStartsAt: String
        let dailyCapSeconds: Int
        let manualCounts: Bool
    }

    struct Amendment: Decodable {
        let reason: String?
        let nickname: String?
        let oldRank: Int?
        let newRank: Int?
        let oldSeconds: Int?
        let newSeconds: Int?
    }

    let group: MonthsAnswer.Group
    let month: String
    let closedAt: Instant
    let rules: Rules
    let clockChanges: [ClockChange]
    let sha256: String
    let entries: [Entry]
    let amendments: [Amendment]
}

/// What the API tells strangers of a group's board.
struct BoardAnswer: Decodable {
    struct Entry: Decodable {
        let rank: Int
        let hidden: Bool
        let nickname: String?
        let seconds: Int?
    }

    let group: MonthsAnswer.Group
    let month: String
    let participants: Int
    let entries: [Entry]
}

extension Decodable {
    /// From the API's JSON.
    init(api json: [UInt8]) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self = try decoder.decode(Self.self, from: Data(json))
    }
}
