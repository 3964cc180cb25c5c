import API
import Accounts
import HTTP
import Mail
import Postgres
import Reactor

/// Looking after the whole service: reports, suspensions from its own boards, and what site admins see.
package struct ModerationFeature: Feature {
    package let routes: [Endpoint]
    package let chores: [Chore]

    /// `sendsMail`: otherwise site admins hand links over.
    package init(
        database: Database, gate: Gate, links: OperatorLinks, sendsMail: Bool
    ) {
        let reports = ReportRoutes(reports: ReportStore(database: database), gate: gate)
        let suspensions = ServiceSuspensionRoutes(
            suspensions: ServiceSuspensionStore(database: database), gate: gate)
        let people = PeopleRoutes(
            people: PeopleStore(database: database), links: links, sendsMail: sendsMail, gate: gate)
        let oversight = OversightRoutes(
            oversight: OversightStore(database: database), gate: gate)
        routes = reports.routes + suspensions.routes + people.routes + oversight.routes
        chores = [
            Chore("put users back on the global board", every: .seconds(5)) {
                _ = try await database.write("SELECT return_after_suspensions()")
            }
        ]
    }
}
