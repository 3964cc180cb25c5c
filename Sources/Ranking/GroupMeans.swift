import Postgres

/// Counts the means of the groups that take part anew, so that no reader has to. Only of months that are not closed: a
/// closed one's mean is counted with its standings.
package struct GroupMeans: Sendable {
    private let database: Database
    private let pause: Duration

    /// A round begins when the last one, by whichever instance, began so long ago.
    package init(database: Database, pause: Duration = .seconds(55)) {
        self.database = database
        self.pause = pause
    }

    /// Goes through all groups, some in each transaction. Of several instances one does it at a time, and another goes on
    /// where one stopped.
    package func renew() async throws {
        let pause = "\(pause.components.seconds) seconds"
        while let row = try await database.write("SELECT renew_group_means(\(pause)::text::interval)").first,
            try row.decode(Bool.self)
        {}
    }
}
