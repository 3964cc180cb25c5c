import API
import Accounts
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import AnthillServer

/// The pages that need no script.
@Suite(.database) struct WrittenPageTests {
    private static let paths = ["/", "/help"]

    private func client() throws -> Client {
        Client(
            Router(try PageRoutes(Person.gate(), site: "https://study.example", api: Router([])).routes.map(\.route)))
    }

    private func text(_ answer: TestSupport.Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    private func page(_ path: String, _ language: String, by client: Client) async -> String {
        text(await client.get(path, headers: ["Accept-Language": language]))
    }

    /// What the attributes of that name say.
    private func values(_ attribute: String, in page: String) -> [String] {
        page.split(separator: "\(attribute)=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }

    @Test(arguments: paths, ["ko", "en"])
    func `it is whole without a script`(path: String, language: String) async throws {
        let client = try client()
        let page = await page(path, language, by: client)
        #expect(page.contains("<html lang=\"\(language)\">") && page.contains("<h1>") && page.hasSuffix("</html>\n"))
        #expect(!page.contains("<script") && !page.contains("{{"))
        #expect(!page.split(separator: "\n").contains { $0.hasPrefix("ko: ") || $0.hasPrefix("en: ") })
        let files = (values("href", in: page) + values("src", in: page)).filter { $0.hasPrefix("/assets/") }
        #expect(files.count > 4)
        for file in Set(files.map { $0.prefix { $0 != "#" } }) {
            let answer = await client.get(String(file))
            #expect(answer.headers["Cache-Control"]?.contains("immutable") == true, "\(file)")
        }
    }

    @Test(arguments: paths) func `both languages have the same places`(path: String) async throws {
        let client = try client()
        let (korean, english) = (await page(path, "ko", by: client), await page(path, "en", by: client))
        #expect(korean != english)
        for attribute in ["id", "class"] {
            #expect(values(attribute, in: korean) == values(attribute, in: english), "\(attribute)")
        }
    }

    @Test func `every link to a place of the help leads there`() async throws {
        let help = await page("/help", "en", by: try client())
        let places = values("id", in: help)
        #expect(Set(places).count == places.count)
        for link in values("href", in: help) where link.hasPrefix("#") {
            #expect(places.contains(String(link.dropFirst())), "\(link)")
        }
        let topics = try SourceTexts.all(".js").values.flatMap { source in
            source.matches(of: #/(?:helpLink\("|\/help#)([\w-]+)"/#).map { String($0.1) }
        }
        #expect(Set(topics).count > 5)
        for topic in topics { #expect(places.contains(topic), "\(topic)") }
    }

    @Test func `a link chooses the language, and the browser remembers it`() async throws {
        let client = try client()
        for path in Self.paths {
            let before: Headers = ["Accept-Language": "en", "Cookie": "language=en"]
            let chosen = await client.get("\(path)?language=ko", headers: before)
            #expect(text(chosen).contains("<html lang=\"ko\">"))
            #expect(chosen.headers["Set-Cookie"] == "language=ko; Path=/; SameSite=Lax; Max-Age=31536000")
            #expect(text(chosen).contains("href=\"?language=en\""))
            let other = await client.get("\(path)?language=%22%3E%3Cb%3E", headers: ["Accept-Language": "ko"])
            #expect(other.headers["Set-Cookie"]?.hasPrefix("language=ko;") == true && !text(other).contains("<b>\""))
            #expect(await client.get(path).headers["Set-Cookie"] == nil)
        }
    }

    @Test func `a member finds their way from the help, and a stranger the doors`() async throws {
        let client = try client()
        let person = try await Person("Dodam", client)
        let group = ID()
        for (cookie, board) in [("", "/groups"), ("; group=\(group)", "/groups/\(group)"), ("; group=x", "/groups")] {
            let help = text(await client.get("/help", headers: ["Cookie": "anthill=\(person.token)\(cookie)"]))
            #expect(values("href", in: help).contains(board) && help.contains("<nav class=\"nav\""))
            #expect(!help.contains("/sign-in"))
        }
        let help = await page("/help", "en", by: client)
        #expect(help.contains("/sign-in") && !help.contains("<nav class=\"nav\""))
    }
}
