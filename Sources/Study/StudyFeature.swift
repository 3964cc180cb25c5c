import API
import Accounts
import HTTP
import Mail
import Postgres
import Reactor

/// Study: timer, sessions, days, alarm, subjects, projects and tasks, import and export.
package struct StudyFeature: Feature {
    private let database: Database
    private let days: DayRoutes
    private let goals: GoalRoutes
    private let timer: TimerRoutes
    private let plans: PlanRoutes
    private let sessions: SessionRoutes
    private let subjects: LabelRoutes<Subject>
    private let projects: LabelRoutes<Project>
    private let tasks: TaskRoutes
    private let totals: TotalsRoutes
    private let alarms: AlarmRoutes
    private let imports: ImportRoutes
    private let exports: ExportRoutes
    private let feeds: FeedRoutes

    private let unattended: UnattendedTimers
    private let weekly: WeeklyMail

    /// `baseURL` is where links in mails lead.
    package init(
        database: Database, gate: Gate, secret: Secret, baseURL: String, optOuts: OptOuts
    ) {
        self.database = database
        unattended = UnattendedTimers(database: database, baseURL: baseURL, optOuts: optOuts)
        weekly = WeeklyMail(database: database, baseURL: baseURL, optOuts: optOuts)
        let today = TodayStore(database: database)
        days = DayRoutes(days: today, calendar: CalendarStore(database: database), gate: gate)
        goals = GoalRoutes(goals: GoalStore(database: database), gate: gate)
        let sessions = SessionStore(database: database)
        timer = TimerRoutes(timers: TimerStore(database: database), sessions: sessions, days: today, gate: gate)
        plans = PlanRoutes(plans: PlanStore(database: database), gate: gate)
        self.sessions = SessionRoutes(sessions: sessions, gate: gate)
        subjects = LabelRoutes(labels: LabelStore(database: database), gate: gate)
        projects = LabelRoutes(labels: LabelStore(database: database), gate: gate)
        tasks = TaskRoutes(tasks: LabelStore(database: database), gate: gate)
        totals = TotalsRoutes(totals: TotalsStore(database: database), gate: gate)
        alarms = AlarmRoutes(alarms: AlarmStore(database: database), gate: gate)
        let files = WorkerPool(threads: 1, queue: 16, patience: .seconds(10))
        imports = ImportRoutes(imports: ImportStore(database: database), gate: gate, pool: files)
        feeds = FeedRoutes(feeds: FeedStore(database: database, secret: secret), gate: gate, baseURL: baseURL)
        exports = ExportRoutes(exports: ExportStore(database: database), gate: gate, pool: files)
    }

    package var routes: [Endpoint] {
        days.routes + goals.routes + timer.routes + plans.routes + sessions.routes + subjects.routes + projects.routes
            + tasks.routes
            + totals.routes + alarms.routes + imports.routes + exports.routes + feeds.routes
    }

    package var letters: [MailKind: Composer] {
        unattended.letters.and(weekly.letters)
    }

    package var chores: [Chore] {
        [
            // Every read and write goes by the clock anyway. This marks the sessions as unconfirmed even while their
            // owner is away.
            Chore("end overdue timers", every: .seconds(60)) { [database] in
                while let row = try await database.write("SELECT end_overdue_timers()").first,
                    try row.decode(Int.self) > 0
                {}
            },
            Chore("mail about unattended timers", every: .seconds(60)) { [unattended] in
                try await unattended.mail()
            },
            Chore("send letters about weeks", every: .seconds(60)) { [weekly] in
                while try await weekly.send() > 0 {}
            },
            Chore("remove the problems of rings that are long over", every: .seconds(3600)) { [database] in
                try await database.write("SELECT forget_challenges()")
            },
        ]
    }
}
