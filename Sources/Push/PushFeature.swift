import API
import Accounts
import Mail
import Outgoing
import Postgres
import Reactor

/// What people are told while no page is open.
package struct PushFeature: Feature {
    package let routes: [Endpoint]
    package let chores: [Chore]

    /// `web` asks push services, `worker` sends what waits.
    package init(database: Database, gate: Gate, vapid: Vapid, web: WebClient, worker: PushWorker) {
        routes =
            PushRoutes(
                gate: gate, store: PushStore(database: database), vapid: vapid, web: web
            ).routes
        chores = [
            Chore("push alarms and timers", every: .seconds(1)) {
                while let row = try await database.write("SELECT push_what_is_due()").first,
                    try row.decode(Int.self) > 0
                {
                    worker.poke()
                }
            },
            Chore("push who was passed", every: .seconds(300)) {
                var last: ID?
                repeat {
                    let next: Query = "SELECT push_who_was_passed(\(last)) AS last"
                    last = try await database.write(next).one["last", as: ID?.self]
                } while last != nil
            },
        ]
    }
}
