import API
import Accounts
import HTTP
import Mail
import Postgres

/// Groups, their invitations, their members, who is suspended, and what members do together.
package struct GroupsFeature: Feature {
    private let groups: GroupRoutes
    private let invitations: InvitationRoutes
    private let members: MemberRoutes
    private let suspensions: SuspensionRoutes
    private let life: LifeRoutes
    private let directory: DirectoryRoutes
    package let letters: [MailKind: Composer]

    /// Links of invitations begin with `baseURL`.
    package init(database: Database, gate: Gate, baseURL: String) {
        groups = GroupRoutes(groups: GroupStore(database: database), gate: gate)
        invitations = InvitationRoutes(
            invitations: InvitationStore(database: database), gate: gate, baseURL: baseURL)
        members = MemberRoutes(members: MemberStore(database: database), gate: gate)
        suspensions = SuspensionRoutes(suspensions: SuspensionStore(database: database), gate: gate)
        directory = DirectoryRoutes(directory: DirectoryStore(database: database), gate: gate)
        life = LifeRoutes(life: LifeStore(database: database), gate: gate)
        letters = SuspensionMail(database: database, baseURL: baseURL).letters
    }

    package var routes: [Endpoint] {
        groups.routes + invitations.routes + members.routes + suspensions.routes + life.routes + directory.routes
    }
}
