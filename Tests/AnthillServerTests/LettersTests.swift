import HTTP
import Postgres
import TestSupport
import Testing

@testable import Accounts
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

    private static func all(_ language: Language) -> [Message] {
        [
            letters.registration(to: to, token: "TOKEN", language: language),
            letters.alreadyRegistered(to: to, language: language),
            letters.passwordReset(to: to, token: "TOKEN", language: language),
            letters.noAccount(to: to, language: language),
            letters.passwordChanged(to: to, language: language),
            letters.emailChange(to: to, token: "TOKEN", language: language),
            letters.emailTaken(to: to, language: language),
            letters.emailChangeNotice(to: to, new: "new@example.kr", token: "TOKEN", language: language),
            letters.emailReminder(to: to, nickname: "<b>Dodam</b>", language: language),
            LeavingMail(database: TestDatabase.current.database, baseURL: address)
                .letter(to: to, at: "2026-11-28 12:00 (Asia/Seoul)", language: language),
            letters.mailTest(to: to, language: language),
            UnattendedTimers(database: TestDatabase.current.database, baseURL: address, optOuts: optOuts)
                .letter(to: to, uid, since: "14:00", language: language),
            digest.letter(
                to: to, baseURL: address, optOut: optOuts.link(.digest, of: uid), language: language),
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
                "https://anthill.example.org/sign-in", "https://anthill.example.org/sign-in",
                "https://anthill.example.org/home",
                "https://anthill.example.org/home",
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
        #expect(Set(subjects).count == 26)
    }

    @Test(arguments: Language.allCases)
    func `mail that is not about security can be turned off, and says so in text and HTML`(language: Language) throws {
        let (optional, security) = (Self.all(language).suffix(2), Self.all(language).dropLast(2))
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

    @Test func `what comes from outside cannot become HTML`() {
        #expect("<a href='\"&".escapedForHTML == "&lt;a href=&#39;&quot;&amp;")
    }

    @Test func `a finished month is told by its name, and no hours are not told as none`() {
        let english = Self.digest.letter(to: Self.to, baseURL: Self.address, optOut: "", language: .en)
        #expect(english.subject == "Night owls: November is final")
        #expect(english.text.contains("You are number 2 of 4. You studied 35 min in November."))
        #expect(english.text.contains("1. Mina, 2 h\n\n2. Jun, 35 min\n\n3. Someone who left, 1 min\n\n4. Someone\n"))
        let korean = Self.digest.letter(to: Self.to, baseURL: Self.address, optOut: "", language: .ko)
        #expect(korean.subject == "Night owls: 11월 순위가 확정됐어요")
        #expect(korean.text.contains("4명 가운데 2위예요. 11월에 35분을 공부했어요."))
    }
}
