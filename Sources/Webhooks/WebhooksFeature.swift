import API
import Accounts
import Mail
import Outgoing
import Postgres
import Reactor

/// What groups tell other services.
package struct WebhooksFeature: Feature {
    package let routes: [Endpoint]
    package let chores: [Chore]

    /// `web` asks the receivers, `worker` tells them.
    package init(database: Database, gate: Gate, secret: Secret, web: WebClient, worker: WebhookWorker) {
        let store = WebhookStore(database: database, secrets: WebhookSecrets(secret: secret))
        routes = WebhookRoutes(gate: gate, store: store, web: web).routes
        chores = [
            Chore("tell webhooks of weeks that have ended", every: .seconds(1)) {
                while let row = try await database.write("SELECT enqueue_weekly_standings()").first,
                    try row.decode(Int.self) > 0
                {
                    worker.poke()
                }
            }
        ]
    }
}
