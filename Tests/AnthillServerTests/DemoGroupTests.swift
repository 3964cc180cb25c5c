import HTTP
import Postgres
import TestSupport
import Testing
import Time

@testable import Accounts
@testable import AnthillServer

@Suite struct DemoGroupTests {
    /// Cheap, as tests should be; it is argon2id all the same.
    private static let hasher = PasswordHasher(PasswordHasher.Cost(passes: 1, memory: 8 << 10))
    private static let secret = Secret("a secret of at least 32 characters")

    private func group(in database: TestDatabase) -> DemoGroup {
        let password = SecretPassword(database: database.database, secret: Self.secret, hasher: Self.hasher)
        return DemoGroup(database: database.database, password: password, language: .ko)
    }

    @Test func `two databases get the same six weeks`() async throws {
        func boards() async throws -> [String] {
            try await TestCluster.shared.get().withDatabase { database in
                try await database.setClock("2026-11-21T13:20:00Z")
                _ = try await group(in: database).open()
                return try await database.database.read(
                    """
                    SELECT concat_ws(' ', x.board, u.nickname, x.day, x.seconds, x.manual_seconds) FROM (
                      SELECT 'month' AS board, t.uid, t.month AS day, t.counted_seconds AS seconds, t.manual_seconds
                      FROM month_totals t JOIN ranking_rules r USING (rules_id) WHERE NOT r.is_global
                      UNION ALL
                      SELECT 'global', t.uid, t.month, t.counted_seconds, t.manual_seconds
                      FROM month_totals t JOIN ranking_rules r USING (rules_id) WHERE r.is_global
                      UNION ALL
                      SELECT 'day', t.uid, t.day, t.study_seconds, t.goal_seconds FROM study_days t
                      UNION ALL
                      SELECT 'wake-up', w.uid, w.day, 0, 0 FROM wake_ups w
                      UNION ALL
                      SELECT 'closed', s.uid, s.month, s.counted_seconds, s.rank FROM standings s
                      UNION ALL
                      SELECT 'now', i.uid, NULL, extract(epoch FROM anthill_clock() - i.started_at)::integer, 0
                      FROM study_intervals i WHERE i.ended_at IS NULL
                    ) x JOIN users u USING (uid) ORDER BY 1
                    """
                ).decode(String.self)
            }
        }
        let first = try await boards()
        #expect(try await boards() == first)
        for (board, rows) in [("month", 36), ("global", 33), ("closed", 24), ("now", 2)] {
            #expect(first.count { $0.hasPrefix(board) } == rows, "\(board)")
        }
    }

    @Test func `a second time nothing is made, and nobody else is ever touched`() async throws {
        try await TestCluster.shared.get().withDatabase { test in
            let database = test.database
            // The month is over, but not for 48 h.
            try await test.setClock("2026-12-01T20:30:00Z")
            let other = ID()
            try await database.write([
                "INSERT INTO users (uid, nickname) VALUES (\(other), '여왕개미')",
                "INSERT INTO user_emails (canonical, email, uid) VALUES ('a@example.org', 'a@example.org', \(other))",
                "SELECT set_global_board(\(other), true)", "SELECT create_group(\(other), '남의 모임', duels => true)",
                "SELECT record_interval(\(other), '2026-12-01T10:00:00Z', '2026-12-01T11:00:00Z')",
            ])
            func contents() async throws -> [Int] {
                try await database.read(
                    """
                    SELECT ARRAY[(SELECT count(*) FROM users)::integer, (SELECT count(*) FROM study_intervals)::integer,
                      (SELECT count(*) FROM users WHERE global_board)::integer,
                      (SELECT count(*) FROM groups WHERE duel)::integer, (SELECT count(*) FROM amendments)::integer,
                      (SELECT count(DISTINCT month) FROM standings)::integer,
                      (SELECT auth_epoch FROM users JOIN user_emails USING (uid) WHERE canonical = \(DemoGroup.address)),
                      (SELECT sum(counted_seconds) FROM month_totals WHERE uid = \(other))::integer]
                    """)[0].decode([Int].self)
            }
            let clock = try await database.read(
                "SELECT prosrc FROM pg_proc WHERE oid = 'anthill_clock()'::regprocedure"
            )
            .decode(String.self)
            let password = try await group(in: test).open()
            let made = try await contents()
            #expect(made[0] == 13)
            #expect(Array(made[2...]) == [1, 1, 1, 2, 2, 3600])
            #expect(
                try await database.read("SELECT prosrc FROM pg_proc WHERE oid = 'anthill_clock()'::regprocedure")
                    .decode(String.self) == clock)
            #expect(try await group(in: test).open() == password)
            #expect(try await contents() == made)

            // Half a day later the timers have ended by themselves, which is answered, and others run; the password is set
            // anew.
            try await test.advance(43_200)
            try await database.write(
                "UPDATE users SET password_hash = NULL FROM user_emails e WHERE e.uid = users.uid AND canonical = \(DemoGroup.address)"
            )
            #expect(try await group(in: test).open() == password)
            let later = try await contents()
            #expect((later[0], later[1], later[6]) == (13, made[1] + 4, 3))
            let left = try await database.read(
                """
                SELECT count(*) FILTER (WHERE unconfirmed), count(*) FILTER (WHERE ended_at IS NULL),
                  count(*) FILTER (WHERE ended_at = started_at + interval '50 minutes' AND recorded_at = anthill_clock())
                FROM study_intervals WHERE retracted_at IS NULL
                """)[0].decode(Int.self, Int.self, Int.self)
            #expect(left == (0, 2, 2))
            _ = try await group(in: test).open()
            #expect(try await contents() == later)
            let users = UserStore(database: database)
            let address = try #require(EmailAddress(DemoGroup.address))
            let owner = try #require(try await users.find(address))
            #expect(try await Self.hasher.verify(Password(password), against: owner.hash) == .right)
        }
    }

    @Test(arguments: 0..<7) func `whatever the day and the hour, everybody does one thing after the other`(day: Int)
        throws
    {
        for hour in 0..<24 {
            let today = Day(year: 2026, month: 11, day: 16).adding(days: day)
            let dawn = Instant(secondsSince1970: today.daysSince1970 * 86400 - 4 * 3600)
            let study = DemoStudy(now: dawn + 3600 * hour + 7, today: today, dawn: dawn)
            let moments = study.moments
            #expect(moments.count > 3000)
            for number in DemoStudy.people.indices {
                var (isRunning, isPaused, last) = (false, false, dawn + -86_400 * DemoStudy.days)
                for moment in moments where moment.person == number {
                    switch moment.deed {
                    case .wakeUp: continue
                    case .log(let from, let until):
                        #expect(from < until && until < moment.at && moment.at < until + 3600)
                        #expect(!isRunning && !isPaused && from > last)
                        last = until
                        continue
                    case .start: #expect(!isRunning && !isPaused)
                    case .pause, .stop: #expect(isRunning)
                    case .resume: #expect(isPaused)
                    }
                    #expect(moment.at > last && moment.at <= study.now)
                    last = moment.at
                    switch moment.deed {
                    case .start, .resume: (isRunning, isPaused) = (true, false)
                    case .pause: (isRunning, isPaused) = (false, true)
                    default: (isRunning, isPaused) = (false, false)
                    }
                }
                #expect(isRunning == (DemoStudy.people[number].studiesFor != nil) && !isPaused)
            }
        }
    }
}
