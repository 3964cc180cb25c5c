import HTTP
import Postgres
import TestSupport
import Testing
import Time

@testable import Accounts
@testable import Groups
@testable import Mail
@testable import Ranking
@testable import Study

/// The letters of all features, side by side.
@Suite(.database) struct LettersTests {
    private static let address = "https://anthill.example.org"
    private static let letters = AccountLetters(baseURL: address)
    private static let to = Mailbox(address: "dodam@example.kr")!

    private static let optOuts = OptOuts(secret: Secret("the secret of letters"), baseURL: address)
    private static let uid = ID("018f0000-0000-7000-8000-000000000001")!

    private static let digest = MonthDigest(
        group: "Night owls", groupID: "1", month: "2026-11", rank: 2, participants: 4, seconds: 35 * 60,
        podium: [
            .init(rank: 1, name: "Mina", seconds: 7200), .init(rank: 2, name: "Jun", seconds: 35 * 60),
            .init(rank: 3, name: nil, seconds: 60), .init(rank: 4, name: nil, seconds: nil),
        ])

    private static let weekly = WeeklyLetter(
        week: Day("2026-11-16")!, seconds: 90_000, secondsBefore: 86_400, studyDays: 6, ants: 4, perfect: 1, streak: 12,
        goalSeconds: 72_000)

    private static func all(_ language: Language) -> [Message] {
        [
            letters.registration(to: to, token: "TOKEN", language: language),
            letters.alreadyRegistered(to: to, language: language),
            letters.passwordReset(to: to, token: "TOKEN", language: language),
            letters.noAccount(to: to, language: language),
            letters.passwordChanged(to: to, language: language),
            letters.emailChange(to: to, token: "TOKEN", language: language),
            letters.emailTaken(to: to, language: language),
            letters.emailChangeNotice(
                to: to, new: "new@example.kr", byOperator: false, token: "TOKEN", language: language),
            letters.emailChangeNotice(
                to: to, new: "new@example.kr", byOperator: true, token: "TOKEN", language: language),
            letters.emailReminder(to: to, nickname: "<b>Dodam</b>", language: language),
            LeavingMail(database: TestDatabase.current.database, baseURL: address)
                .letter(to: to, at: "2026-11-28 12:00 (Asia/Seoul)", language: language),
            letters.mailTest(to: to, language: language),
            letters.identityLinked(to: to, provider: "Google", language: language),
            letters.identityUnlinked(to: to, provider: "<b>Acme</b>", language: language),
            SuspensionMail(database: TestDatabase.current.database, baseURL: address)
                .letter(
                    to: to, from: .group("Owls", at: "/groups/1"), reason: "<b>Why?</b>", until: "tomorrow",
                    language: language),
            SuspensionMail(database: TestDatabase.current.database, baseURL: address)
                .letter(to: to, from: .service, reason: "<b>Why?</b>", until: "tomorrow", language: language),
            UnattendedTimers(database: TestDatabase.current.database, baseURL: address, optOuts: optOuts)
                .letter(to: to, uid, since: "14:00", language: language),
            weekly.message(
                to: to, baseURL: address, optOut: optOuts.link(.weeklyMail, of: uid), language: language),
            digest.letter(
                to: to, baseURL: address, optOut: optOuts.link(.digestMail, of: uid), language: language),
        ]
    }

    @Test(arguments: Language.allCases)
    func `a link is on our own address, and a token in its fragment`(language: Language) {
        let links = Self.all(language).map(\.link)
        #expect(
            links == [
                "https://anthill.example.org/welcome#token=TOKEN", "https://anthill.example.org/sign-in",
                "https://anthill.example.org/new-password#token=TOKEN", "https://anthill.example.org/find-email",
                "https://anthill.example.org/reset", "https://anthill.example.org/new-email#token=TOKEN",
                "https://anthill.example.org/sign-in", "https://anthill.example.org/keep-email#token=TOKEN",
                "https://anthill.example.org/keep-email#token=TOKEN",
                "https://anthill.example.org/sign-in", "https://anthill.example.org/sign-in",
                "https://anthill.example.org/home", "https://anthill.example.org/reset",
                "https://anthill.example.org/reset", "https://anthill.example.org/groups/1",
                "https://anthill.example.org/board",
                "https://anthill.example.org/home", "https://anthill.example.org/calendar",
                "https://anthill.example.org/groups/1?period=month&at=2026-11",
            ])
    }

    @Test(arguments: Language.allCases)
    func `text and HTML say the same and carry the link`(language: Language) throws {
        for message in Self.all(language) {
            let link = try #require(message.link)
            #expect(message.text.contains("\n\(link)\n"))
            #expect(message.html.contains("href=\"\(link.escapedForHTML)\""))
            for paragraph in message.text.split(separator: "\n\n") where !paragraph.contains("\n") {
                #expect(message.html.contains(String(paragraph).escapedForHTML))
            }
            #expect(message.html.contains("<html lang=\"\(language.rawValue)\">"))
        }
    }

    @Test(arguments: Language.allCases)
    func `the voice is calm and polite`(language: Language) {
        for message in Self.all(language) {
            #expect(!(message.subject + message.text).contains("!"))
            guard language == .ko else { continue }
            for sentence in message.text.split(separator: ". ") where sentence.hasSuffix(".") {
                #expect(sentence.hasSuffix("요."))
            }
        }
    }

    @Test func `each letter has a subject of its own in each language`() {
        let subjects = Language.allCases.flatMap { Self.all($0).map(\.subject) }
        #expect(Set(subjects).count == 36)
    }

    /// The letter about a suspension stands with those about security: it tells of a decision against its reader, and
    /// how to answer.
    @Test(arguments: Language.allCases)
    func `mail that is not about security can be turned off, and says so in text and HTML`(language: Language) throws {
        let (optional, security) = (Self.all(language).suffix(3), Self.all(language).dropLast(3))
        #expect(security.allSatisfy { $0.optOut == nil && !$0.html.contains("unsubscribe") })
        for message in optional {
            let link = try #require(message.optOut)
            #expect(link.hasPrefix("https://anthill.example.org/unsubscribe/"))
            #expect(message.text.contains("\n\(link)\n"))
            #expect(message.html.contains("href=\"\(link)\""))
        }
    }

    @Test(arguments: Language.allCases)
    func `a letter loads nothing and runs nothing`(language: Language) {
        for message in Self.all(language) {
            for word in ["<img", "<script", "<link", "<table", "url(", "@import", "http-equiv"] {
                #expect(!message.html.contains(word))
            }
        }
    }

    @Test func `a letter greets by name whom it knows, in text and HTML`() throws {
        let dodam = try #require(Mailbox(of: "<b>Dodam</b>", at: "dodam@example.kr"))
        let korean = Self.letters.passwordChanged(to: dodam, language: .ko)
        #expect(korean.text.hasPrefix("<b>Dodam</b> 님, 안녕하세요.\n\n"))
        let english = Self.letters.passwordChanged(to: dodam, language: .en)
        #expect(english.text.hasPrefix("Hello <b>Dodam</b>,\n\n") && english.html.contains("Hello &lt;b&gt;Dodam"))
        #expect(Self.letters.passwordChanged(to: Self.to, language: .en).text.hasPrefix("Your password"))
        // A name that no header can hold is left out, and the letter goes all the same.
        #expect(Mailbox(of: "a\nb", at: "dodam@example.kr")?.name == "")
    }

    @Test func `what comes from outside cannot become HTML`() {
        #expect("<a href='\"&".escapedForHTML == "&lt;a href=&#39;&quot;&amp;")
    }

    @Test func `a weekly letter compares with the week before, and is kind about a week without study`() {
        let english = Self.weekly.message(to: Self.to, baseURL: Self.address, optOut: "", language: .en)
        #expect(english.subject == "Your week: 25 h")
        #expect(english.text.contains("In the week from 2026-11-16 you studied 25 h on 6 days."))
        #expect(english.text.contains("You reached your goal on 4 days, 1 of them with a perfect ant."))
        #expect(english.text.contains("That is 1 h more than in the week before."))
        #expect(english.text.contains("You reached your goal for the week, 20 h.\n\nYour streak is 12 days."))
        let rest = WeeklyLetter(
            week: Day("2026-11-16")!, seconds: 0, secondsBefore: 0, studyDays: 0, ants: 0, perfect: 0, streak: 0,
            goalSeconds: nil
        ).message(to: Self.to, baseURL: Self.address, optOut: "", language: .ko)
        #expect(rest.subject == "지난주에는 쉬었어요")
        #expect(rest.text.contains("2026-11-16부터 한 주 동안 기록한 공부가 없어요."))
    }

    @Test func `a letter names the month, and leaves out zero hours`() {
        let english = Self.digest.letter(to: Self.to, baseURL: Self.address, optOut: "", language: .en)
        #expect(english.subject == "November results: Night owls")
        #expect(english.text.contains("You finished 2nd of 4. You studied 35 min in November."))
        #expect(english.text.contains("1. Mina, 2 h\n\n2. Jun, 35 min\n\n3. Someone who left, 1 min\n\n4. Someone\n"))
        let korean = Self.digest.letter(to: Self.to, baseURL: Self.address, optOut: "", language: .ko)
        #expect(korean.subject == "Night owls: 11월 순위가 확정됐어요")
        #expect(korean.text.contains("4명 중 2위예요. 11월에 35분 공부했어요."))
    }
}
