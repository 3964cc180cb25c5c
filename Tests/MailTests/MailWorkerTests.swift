import Foundation
import HTTP
import Postgres
import Reactor
import Synchronization
import TestSupport
import Testing

@testable import Mail

@Suite(.database) struct MailWorkerTests {
    private var database: Database { TestDatabase.current.database }

    @Test func `a server that refuses, stalls, hangs up and then accepts gets the mail exactly once`() async throws {
        let server = try await SMTPServerProcess.start(.refuse, .stall, .hangUp, .accept)
        try await prepare()
        try await enqueue("dodam@example.kr")
        // Only the stalling server may use it up.
        let patience = SMTPPatience(total: .seconds(10), answer: .seconds(10))
        try await working(.smtp(try server.address(), patience)) { _ in try await untilDone() }
        let mails = try server.accepted()
        #expect(mails.map(\.rcpt_tos) == [["dodam@example.kr"]])
        #expect(try await tokens() == (1...4).map { "dodam@example.kr-\($0)" })
        #expect(mails.first?.text.contains("#token=dodam@example.kr-4") == true)
    }

    @Test func `a mail that is sent again has the same Message-ID`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        try await prepare()
        try await enqueue("dodam@example.kr")
        try await working(.smtp(try server.address())) { _ in try await untilDone() }
        // As if the process had died before it could write down that the mail was out.
        try await TestDatabase.current.sql("UPDATE mail_outbox SET sent_at = NULL")
        try await working(.smtp(try server.address())) { _ in try await untilDone() }
        let ids = try server.accepted().map(\.message_id)
        #expect(ids.count == 2)
        #expect(Set(ids).count == 1)
    }

    @Test func `what a mail needs is committed before the mail leaves`() async throws {
        let server = try await SMTPServerProcess.start(.stall)
        try await prepare()
        try await enqueue("dodam@example.kr")
        let patience = SMTPPatience(total: .seconds(3), answer: .seconds(3))
        try await working(.smtp(try server.address(), patience)) { _ in
            try await until { try await tokens().first == "dodam@example.kr-1" }
            #expect(try await pending() == 1)
        }
    }

    @Test func `a commit that fails keeps the mail back`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        try await prepare()
        try await TestDatabase.current.sql("ALTER TABLE tokens ADD CHECK (token NOT LIKE '%-1')")
        try await enqueue("dodam@example.kr")
        try await working(.smtp(try server.address())) { _ in try await untilDone() }
        #expect(try server.accepted().count == 1)
        #expect(try await tokens() == ["dodam@example.kr-2"])
    }

    @Test func `two workers with thirty mails send each of them once`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        try await prepare()
        for number in 0..<30 { try await enqueue("a\(number)@example.kr") }
        try await working(.smtp(try server.address())) { _ in
            try await working(.smtp(try server.address())) { _ in try await untilDone() }
        }
        let recipients = try server.accepted().flatMap(\.rcpt_tos)
        #expect(recipients.count == 30)
        #expect(Set(recipients).count == 30)
    }

    @Test func `a mail that was accepted is not sent again because it was hard to write down`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        try await prepare()
        try await TestDatabase.current.sql(
            """
            CREATE SEQUENCE tries;
            CREATE FUNCTION sabotage() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              IF NEW.sent_at IS NOT NULL AND nextval('tries') < 3 THEN RAISE EXCEPTION 'no' USING ERRCODE = '57P01'; END IF;
              RETURN NEW;
            END $$;
            CREATE TRIGGER sabotage BEFORE UPDATE ON mail_outbox FOR EACH ROW EXECUTE FUNCTION sabotage();
            """)
        try await enqueue("dodam@example.kr")
        try await working(.smtp(try server.address())) { _ in try await untilDone() }
        #expect(try server.accepted().count == 1)
    }

    @Test func `a mail that a dead process had claimed is sent when its lease runs out`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        try await prepare()
        try await TestDatabase.current.setClock("2026-11-21T05:00:00Z")
        try await enqueue("dodam@example.kr")
        _ = try await OutboxStore(database: database).claim([.registration], limit: 1, lease: .seconds(60))
        try await working(.smtp(try server.address())) { worker in
            worker.poke()
            try await Task.sleep(for: .milliseconds(300))
            #expect(try server.accepted().isEmpty)
            try await TestDatabase.current.advance(60)
            try await untilDone()
        }
        #expect(try server.accepted().count == 1)
    }

    @Test func `a mail that is always refused is dead after its attempts, with a reason that names nobody`()
        async throws
    {
        let server = try await SMTPServerProcess.start(.refuse)
        try await prepare()
        try await enqueue("dodam@example.kr")
        let log = Mutex<[String]>([])
        var settings = eager
        settings.backoff = Backoff(first: .milliseconds(1), factor: 1, attempts: 2)
        try await working(
            .smtp(try server.address()), settings, log: { line in log.withLock { $0.append(line) } }
        ) {
            _ in try await untilDone()
        }
        let row = try #require(
            try await database.read("SELECT attempts, dead_at IS NOT NULL, last_error FROM mail_outbox").first)
        let (attempts, isDead, reason) = try row.decode(Int.self, Bool.self, String.self)
        #expect(attempts == 2)
        #expect(isDead)
        #expect(reason == "refused: 451 4.7.1 not now,")
        let lines = log.withLock { $0 }
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { !$0.contains("dodam") && !$0.contains("token") })
        #expect(lines.last?.contains("the last") == true)
    }

    @Test func `an address that is refused for good gets mail about security alone, until a mail is taken`()
        async throws
    {
        try await prepare()
        try await TestDatabase.current.sql(
            """
            WITH u AS (INSERT INTO users (nickname) VALUES ('Dodam') RETURNING uid)
            INSERT INTO user_emails (canonical, email, uid) SELECT 'dodam@example.kr', 'Dodam@example.kr', uid FROM u
            """)
        // Three refusals give the mail up; only then is the address bad.
        let server = try await SMTPServerProcess.start(.reject, .reject, .reject, .accept)
        try await put("Dodam@example.kr")
        try await working(.smtp(try server.address())) { _ in try await untilDone() }
        #expect(try await refusals() == [550])

        try await put("Dodam@example.kr")
        try await working(.smtp(try server.address()), composer: { try await optional($0) }) { _ in
            try await untilDone()
        }
        #expect(try server.accepted().isEmpty)
        #expect(try await refusals() == [550])

        try await put("Dodam@example.kr")
        try await working(.smtp(try server.address())) { _ in try await untilDone() }
        #expect(try server.accepted().count == 1)
        #expect(try await refusals() == [])

        try await put("Dodam@example.kr")
        try await working(.smtp(try server.address()), composer: { try await optional($0) }) { _ in
            try await untilDone()
        }
        #expect(try server.accepted().count == 2)
    }

    @Test func `a server that does not want us makes no address bad, and a new address has a new chance`() async throws
    {
        try await prepare()
        try await TestDatabase.current.sql(
            """
            WITH u AS (INSERT INTO users (nickname) VALUES ('Dodam') RETURNING uid)
            INSERT INTO user_emails (canonical, email, uid) SELECT 'dodam@example.kr', 'dodam@example.kr', uid FROM u
            """)
        let server = try await SMTPServerProcess.start(.forbid)
        try await enqueue("dodam@example.kr")
        try await working(.smtp(try server.address())) { _ in try await untilDone() }
        #expect(try await refusals() == [])
        try await TestDatabase.current.sql("SELECT note_refused_address('dodam@example.kr', 550)")
        #expect(try await refusals() == [550])
        try await TestDatabase.current.sql("UPDATE user_emails SET canonical = 'd@b.kr', email = 'd@b.kr'")
        #expect(try await refusals() == [])
    }

    private func refusals() async throws -> [Int] {
        try await database.read("SELECT refused_with FROM user_emails WHERE refused_since IS NOT NULL").decode(Int.self)
    }

    /// A mail that its reader could turn off.
    private func optional(_ item: OutboxItem) async throws -> Composition? {
        Mailbox(address: item.to).map {
            Composition(Message(to: $0, subject: "x", text: "x", html: "x", optOut: "https://anthill.example.org/u"))
        }
    }

    @Test func `a mail refused for good is given up sooner`() async throws {
        let server = try await SMTPServerProcess.start(.reject)
        try await prepare()
        try await enqueue("dodam@example.kr")
        try await working(.smtp(try server.address())) { _ in try await untilDone() }
        let row = try #require(try await database.read("SELECT attempts, dead_at IS NOT NULL FROM mail_outbox").first)
        #expect(try row.decode(Int.self, Bool.self) == (3, true))
    }

    @Test func `a mail that ended its process in every attempt is dead and not tried again`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        try await prepare()
        try await enqueue("dodam@example.kr")
        try await TestDatabase.current.sql("UPDATE mail_outbox SET attempts = 12")
        try await working(.smtp(try server.address())) { _ in try await untilDone() }
        #expect(try server.accepted().isEmpty)
    }

    @Test func `where there is nothing to send, nothing is sent, and the mail is done`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        try await enqueue("dodam@example.kr")
        try await working(.smtp(try server.address()), composer: { _ in nil }) { _ in try await untilDone() }
        #expect(try server.accepted().isEmpty)
        #expect(try await database.read("SELECT 1 FROM mail_outbox WHERE sent_at IS NOT NULL").count == 1)
    }

    @Test func `a composer that fails is asked again, and its error's text is not kept`() async throws {
        struct Trouble: Error { let secret = "dodam@example.kr" }
        let server = try await SMTPServerProcess.start(.accept)
        try await prepare()
        try await enqueue("dodam@example.kr")
        let reasons = Mutex<[String]>([])
        let composer: Composer = { item in
            if item.attempt == 1 { throw Trouble() }
            return try await self.compose(item)
        }
        try await working(
            .smtp(try server.address()), composer: composer,
            log: { line in reasons.withLock { $0.append(line) } }
        ) { _ in try await untilDone() }
        #expect(try server.accepted().count == 1)
        #expect(reasons.withLock { $0 }.map { $0.hasSuffix(": Trouble") } == [true])
    }

    @Test func `a poke sends at once, long before the next poll`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        try await prepare()
        var settings = eager
        settings.poll = .seconds(600)
        try await working(.smtp(try server.address()), settings) { worker in
            try await enqueue("dodam@example.kr")
            worker.poke()
            try await untilDone()
        }
        #expect(try server.accepted().count == 1)
    }

    @Test func `stopping waits for the mail on its way, and takes no other`() async throws {
        let server = try await SMTPServerProcess.start(.refuse, .accept)
        try await prepare()
        var settings = eager
        settings.atOnce = 1
        let isComposing = Mutex(false)
        let mayGoOn = Mutex(false)
        let composer: Composer = { item in
            isComposing.withLock { $0 = true }
            while !mayGoOn.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
            return try await self.compose(item)
        }
        try await enqueue("a@example.kr")
        try await enqueue("b@example.kr")
        try await working(.smtp(try server.address()), settings, composer: composer) { worker in
            try await until { isComposing.withLock { $0 } }
            let stopping = Task.immediate { await worker.stop(patience: .seconds(60)) }
            mayGoOn.withLock { $0 = true }
            await stopping.value
        }
        let attempts = try await database.read("SELECT attempts FROM mail_outbox ORDER BY attempts").decode(Int.self)
        #expect(attempts == [0, 1])
        #expect(try await database.read("SELECT 1 FROM mail_outbox WHERE last_error IS NOT NULL").count == 1)
    }

    @Test func `stopping does not wait longer for a slow server than it was told to`() async throws {
        let server = try await SMTPServerProcess.start(.stall)
        try await prepare()
        try await enqueue("dodam@example.kr")
        let patience = SMTPPatience(total: .seconds(300), answer: .seconds(300))
        try await working(.smtp(try server.address(), patience)) { worker in
            try await until { try await tokens().count == 1 }
            let began = ContinuousClock.now
            await worker.stop(patience: .milliseconds(100))
            #expect(ContinuousClock.now - began < .seconds(100))
            #expect(try await pending() == 1)
        }
    }

    @Test func `an outbox that cannot be read is reported once, and when it can be read again`() async throws {
        let server = try await SMTPServerProcess.start(.accept)
        try await prepare()
        try await enqueue("dodam@example.kr")
        try await TestDatabase.current.sql("ALTER TABLE mail_outbox RENAME TO away")
        let log = Mutex<[String]>([])
        try await working(.smtp(try server.address()), log: { line in log.withLock { $0.append(line) } }) { _ in
            try await until { log.withLock { !$0.isEmpty } }
            // Time for some more looks, of which nothing is said.
            try await Task.sleep(for: .milliseconds(300))
            try await TestDatabase.current.sql("ALTER TABLE away RENAME TO mail_outbox")
            try await untilDone()
        }
        #expect(try server.accepted().count == 1)
        let lines = log.withLock { $0 }
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("the outbox cannot be read: 42P01") == true)
        #expect(lines.last == "the outbox can be read again")
    }

    @Test func `the folder transport goes the same way`() async throws {
        let path = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: path) }
        let folder = try MailFolder(path: path.path, announcingLinks: false) { _ in }
        try await prepare()
        try await enqueue("dodam@example.kr")
        try await working(.folder(folder)) { _ in try await untilDone() }
        let messages = try folder.names().compactMap(folder.read)
        #expect(messages.map(\.to) == ["dodam@example.kr"])
        #expect(messages.first?.link == "https://anthill.example.org/welcome#token=dodam@example.kr-1")
    }

    private var eager: OutboxSettings {
        .init(atOnce: 4, poll: .milliseconds(50), backoff: Backoff(first: .milliseconds(1), factor: 1))
    }

    /// A table of tokens, as Accounts has one; and time goes on, for who waits before another attempt.
    private func prepare() async throws {
        try await TestDatabase.current.releaseClock()
        try await TestDatabase.current.sql("CREATE TABLE tokens (token text)")
    }

    private func enqueue(_ address: String) async throws {
        _ = try await database.write(Outbox.enqueue(.registration, to: address))
    }

    /// The same past the limit.
    private func put(_ address: String) async throws {
        _ = try await database.write("INSERT INTO mail_outbox (kind, to_address) VALUES ('registration', \(address))")
    }

    /// A fresh token for each attempt, stored when the mail is sent.
    private func compose(_ item: OutboxItem) async throws -> Composition? {
        let token = "\(item.to)-\(item.attempt)"
        let to = try #require(Mailbox(address: item.to))
        let message = sampleLetter(to: to, token: token, language: .ko)
        return Composition(message, commit: ["INSERT INTO tokens VALUES (\(token))"])
    }

    private func tokens() async throws -> [String] {
        try await database.read("SELECT token FROM tokens ORDER BY token").decode(String.self)
    }

    private func pending() async throws -> Int {
        try await database.read("SELECT 1 FROM mail_outbox WHERE sent_at IS NULL AND dead_at IS NULL").count
    }

    private func untilDone() async throws {
        try await until { try await pending() == 0 }
    }

    private func until(_ condition: () async throws -> Bool) async throws {
        let latest = ContinuousClock.now + .seconds(120)
        while !(try await condition()) {
            try #require(ContinuousClock.now < latest, "it did not happen within two minutes")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func working(
        _ transport: MailTransport, _ settings: OutboxSettings? = nil, composer: Composer? = nil,
        log: @escaping @Sendable (String) -> Void = { _ in }, _ body: (MailWorker) async throws -> Void
    ) async throws {
        let group = EventLoopGroup(count: 1)
        group.start()
        let worker = MailWorker(
            database: database, loop: group.loops[0], transport: transport,
            from: try #require(Mailbox("Anthill <anthill@example.org>")),
            settings: settings ?? eager, log: log)
        worker.start([.registration: composer ?? { try await compose($0) }])
        let result: Result<Void, any Error>
        do { result = .success(try await body(worker)) } catch { result = .failure(error) }
        await worker.stop()
        group.stop()
        try result.get()
    }
}
