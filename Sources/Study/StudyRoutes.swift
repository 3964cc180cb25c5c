import API
import Accounts
import HTTP
import Postgres
import Reactor

/// What one studied and is studying, over HTTP.
package struct StudyRoutes: Sendable {
    private let days: DayRoutes
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

    package init(database: Database, gate: Gate) {
        let today = TodayStore(database: database)
        days = DayRoutes(days: today, calendar: CalendarStore(database: database), gate: gate)
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
        exports = ExportRoutes(exports: ExportStore(database: database), gate: gate, pool: files)
    }

    package var routes: [Endpoint] {
        days.routes + timer.routes + plans.routes + sessions.routes + subjects.routes + projects.routes + tasks.routes
            + totals.routes + alarms.routes + imports.routes + exports.routes
    }
}
