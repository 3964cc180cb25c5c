import API
import Accounts
import HTTP
import Mail
import Postgres
import Reactor

/// Who studied how much: boards, standings of closed months, badges and signals.
package struct RankingFeature: Feature {
    package let routes: [Endpoint]
    package let chores: [Chore]
    package let letters: [MailKind: Composer]

    package let live: LiveBoards

    /// Links in mails begin with `baseURL`. `roundFailed` learns why live boards could not be sent, `closingFailed`
    /// which month could not be closed.
    package init(
        database: Database, gate: Gate, secret: Secret, baseURL: String, optOuts: OptOuts,
        roundFailed: @escaping @Sendable (any Error) -> Void,
        closingFailed: @escaping @Sendable (MonthCloser.Failure) -> Void
    ) {
        let boards = RankingRoutes(database: database, gate: gate, roundFailed: roundFailed)
        let own = OwnBadgeRoutes(
            badges: OwnBadgeStore(database: database, secret: secret), gate: gate, baseURL: baseURL)
        routes = boards.routes + own.routes
        live = boards.live
        let closer = MonthCloser(database: database, failed: closingFailed)
        chores = [
            .foldRanks(database),
            Chore("close months", every: .seconds(5)) { try await closer.run() },
            .renewGroupMeans(database),
            Chore("forget old changes of boards", every: .seconds(60)) { try await boards.live.forget() },
        ]
        letters = RankingMail(database: database, baseURL: baseURL, optOuts: optOuts).letters
    }
}

extension Chore {
    /// Folds pending changes into the counters of the global board, so that readers have few to add up. Of
    /// several instances one does it, and the others leave it to that one.
    static func foldRanks(_ database: Database) -> Chore {
        Chore("fold changes of ranks", every: .milliseconds(500)) {
            while let row = try await database.write("SELECT fold_rank_deltas()").first, try row.decode(Int.self) > 0 {}
        }
    }

    /// Computes the means of the groups that take part anew, for months that are not closed; a closed month's mean is
    /// computed with its standings. A round begins `pause` after the last one began, on whichever instance. It handles
    /// some groups in each transaction. One instance works at a time, and another one can continue where it stopped.
    static func renewGroupMeans(_ database: Database, pause: Duration = .seconds(55)) -> Chore {
        let pause = "\(pause.components.seconds) seconds"
        return Chore("renew the means of groups", every: .seconds(60)) {
            while let row = try await database.write("SELECT renew_group_means(\(pause)::text::interval)").first,
                try row.decode(Bool.self)
            {}
        }
    }
}
