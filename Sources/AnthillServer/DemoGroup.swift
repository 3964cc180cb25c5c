import Accounts
import HTTP
import Postgres
import Ranking
import Study
import Time

/// A group of twelve with six weeks of study, for looking around.
///
/// The weeks are replayed in one transaction that moves its own clock from moment to moment: timers start and stop, and
/// alarms are answered, through the usual functions. So every rule holds for them, too.
struct DemoGroup {
    /// The address to sign in with. No mail ever reaches an address that ends in `.invalid`.
    static let address = address(DemoStudy.people[0])

    let database: Database
    let password: SecretPassword
    /// Of the group, its people, their pages and all that they wrote.
    let language: Language

    /// Makes the group unless it is there, starts a few timers, and answers the password of ``address``. A timer of an
    /// earlier start that ran into the longest interval is answered with 50 minutes.
    func open() async throws -> String {
        if try await database.read("SELECT FROM user_emails WHERE canonical = \(DemoGroup.address)").isEmpty {
            let (group, people) = try await database.transaction { try await live() }
            try await MonthCloser(database: database) { say("\($0)") }.run()
            try await amend(group, people)
        }
        let busy = DemoStudy.people.filter { $0.studiesFor != nil }.map(DemoGroup.address)
        try await database.write([
            "SELECT start_timer(uid) FROM user_emails WHERE canonical = ANY (\(busy))",
            """
            SELECT confirm_session(i.uid, i.session_id, i.started_at + interval '50 minutes')
            FROM study_intervals i JOIN user_emails e USING (uid)
            WHERE e.canonical = ANY (\(busy)) AND i.unconfirmed AND i.retracted_at IS NULL ORDER BY i.started_at
            """,
        ])
        return try await password.of(DemoGroup.address)
    }

    private static func address(_ person: DemoStudy.Person) -> String { "\(person.mailbox)@demo.invalid" }

    /// The weeks from their first day to now.
    private func live() async throws -> (ID, [ID]) {
        let study = try await study()
        let isAlone = try await database.read("SELECT FROM users LIMIT 1").isEmpty
        let clock = try await database.read("SELECT pg_get_functiondef('anthill_clock()'::regprocedure)")[0]
            .decode(String.self)
        try await database.script(
            unsafe: """
                CREATE OR REPLACE FUNCTION anthill_clock() RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
                BEGIN
                  RETURN current_setting('anthill.demo_clock')::timestamptz;
                END $$
                """)
        let people = DemoStudy.people.map { _ in ID() }
        let group = try await found(study, people, inPublic: isAlone)
        let work = try await plan(people)
        let moments = study.moments.map { ($0.at, deed($0, people, work)) } + settings(study, people, work)
        for chunk in moments.sorted(by: { $0.0 < $1.0 }).chunks(of: 100) {
            try await database.write(chunk.flatMap { at, deed in [DemoGroup.clock(at), deed] })
        }
        try await database.script(unsafe: clock)
        return (group, people)
    }

    private func study() async throws -> DemoStudy {
        let (now, today, dawn) = try await database.read(
            """
            SELECT now, day, study_day_start(day, 'Asia/Seoul', '05:00')
            FROM (SELECT anthill_clock() AS now, study_day(anthill_clock(), 'Asia/Seoul', '05:00') AS day) x
            """)[0].decode(Instant.self, Day.self, Instant.self)
        return DemoStudy(now: now, today: today, dawn: dawn)
    }

    private static func clock(_ at: Instant) -> Query { "SELECT set_config('anthill.demo_clock', \(at), true)" }

    /// Creates the people and their group. In an otherwise empty database they also opt in to the public boards.
    private func found(_ study: DemoStudy, _ people: [ID], inPublic: Bool) async throws -> ID {
        let start = study.dawn(ago: DemoStudy.days) + 420
        try await database.write([DemoGroup.clock(start)])
        for (uid, person) in zip(people, DemoStudy.people) {
            try await database.write([
                """
                INSERT INTO users (uid, nickname, locale, unattended_mail, days_shown)
                VALUES (\(uid), \(person.nickname[language]), \(language.rawValue), false, \(uid != people[0]))
                """,
                """
                UPDATE students SET time_zone = 'Asia/Seoul', day_starts_at = '05:00', daily_goal_seconds = 9000
                WHERE uid = \(uid)
                """,
                """
                INSERT INTO user_emails (canonical, email, uid)
                VALUES (\(DemoGroup.address(person)), \(DemoGroup.address(person)), \(uid))
                """,
            ])
            if inPublic, person.visibility != "hidden" {
                try await database.write("SELECT set_global_board(\(uid), true)")
            }
            guard let alarm = person.alarm else { continue }
            try await database.write("SELECT set_alarm(\(uid), true, \(alarm.time)::time, 'medium', 'birds', 5, 2)")
        }
        let group = try await database.write(
            """
            SELECT create_group(\(people[0]), \(DemoStudy.group.name[language]), \(DemoStudy.group.about[language]),
              zone => 'Asia/Seoul', starts => '05:00', with_emoji => '🐜', in_colour => 'honey', month_goal => 4680000, badge => true,
              duels => \(inPublic))
            """)[0].decode(ID.self)
        for (uid, person) in zip(people, DemoStudy.people) where uid != people[0] {
            try await database.write([
                DemoGroup.clock(start + 60), "SELECT lock_group(\(group))",
                "SELECT enter_group(\(uid), \(group), 'member')",
                "UPDATE group_members SET visibility = \(person.visibility) WHERE uid = \(uid) AND group_id = \(group)",
            ])
            guard person.role != "member" else { continue }
            try await database.write("SELECT set_member_role(\(people[0]), \(group), \(uid), \(person.role))")
        }
        return group
    }

    /// Creates the subjects, projects and tasks of the person to sign in as.
    private func plan(_ people: [ID]) async throws -> (subjects: [ID], tasks: [ID]) {
        let me = people[0]
        // Tasks of one moment are listed by their ids: in order, so that every demonstration lists them alike.
        let (subjects, tasks) = (DemoStudy.subjects.map { _ in ID() }, DemoStudy.tasks.map { _ in ID() }.sorted())
        let projects = DemoStudy.projects.map { _ in ID() }
        for (id, subject) in zip(subjects, DemoStudy.subjects) {
            try await database.write("SELECT add_label(\(me), 'subject', \(id), \(subject.0[language]), \(subject.1))")
        }
        for (id, name) in zip(projects, DemoStudy.projects) {
            try await database.write("SELECT add_label(\(me), 'project', \(id), \(name[language]), 'moss')")
        }
        for (id, task) in zip(tasks, DemoStudy.tasks) {
            try await database.write(
                "SELECT add_task(\(me), \(id), \(task.title[language]), \(3600 * task.hours), \([projects[task.project]]))"
            )
        }
        return (subjects, tasks)
    }

    /// What was set on the way, not studied: another goal, rest days, a task that was done.
    private func settings(
        _ study: DemoStudy, _ people: [ID], _ work: (subjects: [ID], tasks: [ID])
    ) -> [(Instant, Query)] {
        let me = people[0]
        let rested = study.today.adding(days: -DemoStudy.restedAgo)
        var settings: [(Instant, Query)] = [
            (study.dawn(ago: 28), "SELECT set_daily_goal(\(me), 10800)"),
            (study.dawn(ago: DemoStudy.restedAgo + 4), "SELECT plan_rest_day(\(me), \(rested))"),
            (study.dawn(ago: 1), "SELECT plan_rest_day(\(me), \(study.today.adding(days: 3)))"),
        ]
        for (id, task) in zip(work.tasks, DemoStudy.tasks) {
            guard let ago = task.done else { continue }
            settings.append(
                (study.dawn(ago: ago), "SELECT change_task(\(me), \(id), NULL, true, NULL, NULL, true, NULL)"))
        }
        return settings
    }

    private func deed(
        _ moment: DemoStudy.Moment, _ people: [ID], _ work: (subjects: [ID], tasks: [ID])
    ) -> Query {
        let uid = people[moment.person]
        switch moment.deed {
        case .start(let subject, let task):
            return
                "SELECT start_timer(\(uid), subject => \(subject.map { work.subjects[$0] }), task => \(task.map { work.tasks[$0] }))"
        case .pause: return "SELECT pause_timer(\(uid))"
        case .resume: return "SELECT resume_timer(\(uid))"
        case .stop: return "SELECT stop_timer(\(uid))"
        case .log(let from, let until): return "SELECT record_interval(\(uid), \(from), \(until))"
        case .wakeUp: return DemoGroup.wakeUp(uid, at: moment.at)
        }
    }

    private static func wakeUp(_ uid: ID, at: Instant) -> Query {
        var chance = Chance(at.secondsSince1970)
        let puzzle = Puzzle.make(.medium, using: &chance)
        let text = (try? JSON.bytes(puzzle)).map { String(decoding: $0, as: UTF8.self) }
        return """
            SELECT answer_wake_up(\(uid), challenge_id, \(puzzle.answer)) FROM ask_wake_up(\(uid),
              jsonb_build_object('medium', jsonb_build_object('puzzle', \(text)::jsonb, 'answer', \(puzzle.answer)::integer)))
            """
    }

    /// The owner corrects the last month that is closed, as the fifth of the people had asked.
    private func amend(_ group: ID, _ people: [ID]) async throws {
        try await database.write(
            """
            SELECT amend_standing(\(people[0]), \(group), s.month, s.uid, s.counted_seconds - 2700,
              \(DemoStudy.correction[language]))
            FROM standings s
            WHERE s.group_id = \(group) AND s.uid = \(people[4]) AND s.counted_seconds > 2700
              AND s.month = (SELECT max(c.month) FROM month_closes c WHERE c.group_id = \(group))
            """)
    }
}

extension Array {
    /// In pieces of at most so many.
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
