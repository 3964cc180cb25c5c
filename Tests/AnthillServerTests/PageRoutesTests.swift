import API
import Accounts
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

@testable import AnthillServer

@Suite(.database) struct PageRoutesTests {
    /// Runs `body` with a client of the web app and one page more, whose script alone was added. Its API tells who asks.
    private func withPage(
        _ name: String, _ script: String = "document.title = 'Ants';", _ body: (Client) async throws -> Void
    ) async throws {
        let web = FileManager.default.temporaryDirectory.appending(path: "anthill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: web) }
        try FileManager.default.copyItem(at: PageRoutes.resource("Web"), to: web)
        try Data(script.utf8).write(to: web.appending(path: "pages/\(name).js"))
        let gate = Person.gate()
        let api = Router(
            [
                gate.user(.get, "/api/v1/me") { _, caller in .writtenJSON(Array("{\"uid\":\"\(caller.uid)</b>\"}".utf8))
                },
                gate.user(.get, "/api/v1/me/today") { request, _ in
                    guard let day = request.cookie("day") else { throw Problem.notFound }
                    return .writtenJSON(Array("{\"day\":\"\(day)\"}".utf8))
                },
                gate.user(.get, "/api/v1/me/days", query: ["month"]) { request, _ in
                    .writtenJSON(Array("{\"of\":\"\(request.query["month"] ?? "now")\"}".utf8))
                },
                gate.user(.get, "/api/v1/me/timer") { request, _ in
                    .writtenJSON(Array("{\"state\":\"\(request.cookie("group") ?? "none")\"}".utf8))
                },
                gate.user(.get, "/api/v1/groups") { _, _ in
                    .writtenJSON(Array("{\"items\":[{\"id\":\"one\"},{\"id\":\"two\"}]}".utf8))
                },
                gate.user(.get, "/api/v1/groups/{id}/leaderboard", query: ["period", "order", "limit"]) { request, _ in
                    .writtenJSON(Array("{\"at\":\"2026-11\",\"board\":\"\(request.parameter("id"))\"}".utf8))
                },
                gate.user(.get, "/api/v1/groups/{id}/days", query: ["month"]) { request, _ in
                    .writtenJSON(Array("{\"days\":\"\(request.query["month"] ?? "-")\"}".utf8))
                },
            ].map(\.route))
        let pages = try PageRoutes(gate, site: "https://study.example", api: api, web: web)
        try await body(Client(Router(pages.routes.map(\.route), pageNotFound: pages.notFound(), isSecure: true)))
    }

    private func text(_ answer: TestSupport.Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    /// The addresses of the files that a page loads; the manifest is asked for only to install the app.
    private func files(_ page: String) -> [String] {
        page.matches(of: #/<(?:link|script|img) [^>]*(?:href|src)="([^"]+)"/#).map { String($0.1) }
            .filter { $0 != "/manifest.webmanifest" }
    }

    @Test func `a page needs no more than its script`() async throws {
        try await withPage("ants") { client in
            let ants = await client.get("/ants")
            #expect(ants.status == .ok)
            let script = try #require(files(text(ants)).last)
            #expect(text(await client.get(script)).contains("document.title = 'Ants';"))
            #expect(await client.get("/ants.html").status == .notFound)

            // Everything else is as on any other page.
            let other = await client.get("/register")
            #expect(files(text(other)).dropLast() == files(text(ants)).dropLast())
            for name in ["Content-Type", "Cache-Control", "Content-Security-Policy", "Strict-Transport-Security"] {
                #expect(ants.headers[name] != nil && ants.headers[name] == other.headers[name], "\(name)")
            }
            #expect(ants.headers["Cache-Control"] == "private, no-cache")
            #expect(ants.headers["ETag"] != nil && ants.headers["ETag"] != other.headers["ETag"])
        }
    }

    @Test func `all that a page loads is kept for ever, and its scripts have each module once`() async throws {
        try await withPage("ants") { client in
            for page in ["/register", "/home", "/groups/x"] {
                let files = files(text(await client.get(page)))
                #expect(files.count == 5)
                var modules: [Substring] = []
                for file in files {
                    let answer = await client.get(file)
                    #expect(answer.status == .ok && answer.headers["Cache-Control"]?.contains("immutable") == true)
                    modules += text(answer).matches(of: #/(?m)^\/\/ ((?:js|pages)\/\S+)$/#).map(\.1)
                }
                #expect(modules.count > 20 && Set(modules).count == modules.count, "\(page)")
                #expect(modules.filter { ["js/words/ko.js", "js/words/en.js"].contains($0) }.count == 1)
            }
        }
    }

    @Test func `a page speaks the language and wears the theme that its browser remembers`() async throws {
        try await withPage("ants") { client in
            for (cookie, accepted, start) in [
                (nil, nil, "<html lang=\"en\">"), (nil, "ko-KR, en;q=0.5", "<html lang=\"ko\">"),
                ("language=ko; theme=dark", "en", "<html lang=\"ko\" data-theme=\"dark\">"),
                ("language=en; theme=light", "ko", "<html lang=\"en\" data-theme=\"light\">"),
                ("language=<b>; theme=\"><b>", "ko", "<html lang=\"ko\">"),
            ] {
                var headers = Headers()
                if let cookie { headers.add("Cookie", cookie) }
                if let accepted { headers.add("Accept-Language", accepted) }
                for path in ["/ants", "/", "/help", "/no/such/page"] {
                    headers.set("Accept", "text/html")
                    let page = await client.get(path, headers: headers)
                    #expect(page.status == (path.hasPrefix("/no") ? .notFound : .ok))
                    #expect(text(page).contains(start), "\(cookie ?? "-") \(path)")
                    if ["/", "/help"].contains(path) { continue }
                    #expect(text(page).contains("/anthill-\(start.contains("ko") ? "ko" : "en").js\""))
                }
            }
        }
    }

    @Test func `a member's page brings the answers that its script asks for first`() async throws {
        let script = "import { memberPage } from \"../js/shell/frame.js\";\n"
        try await withPage("ants", script) { client in
            let person = try await Person("Dodam", client)
            let me = "\"/me\":{\"uid\":\"\(person.id)\\u003c/b>\"}"
            let asked: Headers = ["Cookie": "anthill=\(person.token)", "If-None-Match": "*, \"x\""]
            #expect(await client.get("/ants", headers: asked).status == .notModified)

            let page = text(await client.get("/ants", headers: ["Cookie": "anthill=\(person.token)"]))
            #expect(page.contains(" id=\"first\">{\(me),\"/me/timer\":{\"state\":\"none\"}}</script>"))
            for path in ["/ants", "/sign-in"] {
                let cookie = path == "/sign-in" ? "anthill=\(person.token)" : "anthill=x"
                #expect(text(await client.get(path, headers: ["Cookie": cookie])).contains(" id=\"first\">{}</script>"))
            }
        }
    }

    @Test func `home brings the board of the group that was opened last, else of the first`() async throws {
        try await withPage("ants") { client in
            let person = try await Person("Dodam", client)
            for (opened, shown) in [("", "one"), ("; group=two", "two"), ("; group=three", "one")] {
                let page = text(await client.get("/home", headers: ["Cookie": "anthill=\(person.token)\(opened)"]))
                #expect(
                    page.contains(
                        "\"/groups/\(shown)/leaderboard?period=month\":{\"at\":\"2026-11\",\"board\":\"\(shown)\"}"))
            }
        }
    }

    @Test func `home brings the days of the week that lie in the month before, too`() async throws {
        try await withPage("ants") { client in
            let person = try await Person("Dodam", client)
            for (today, earlier) in [
                ("2026-12-01", "2026-11"), ("2026-12-06", "2026-11"), ("2027-01-01", "2026-12"), ("2026-12-07", nil),
                ("2026-06-01", nil), ("2026-11-30", nil),
            ] {
                let cookie = "anthill=\(person.token); day=\(today)"
                let page = text(await client.get("/home", headers: ["Cookie": cookie]))
                #expect(page.contains("\"/me/days\":{\"of\":\"now\"}"))
                let asked = page.matches(of: #/"/me/days\?month=([^"]*)":{"of":"([^"]*)"}/#)
                #expect(
                    asked.map { [$0.1, $0.2] } == (earlier.map { [[Substring($0), Substring($0)]] } ?? []), "\(today)")
            }
        }
    }

    @Test func `a group's page brings its board, and the days of the month that the board shows`() async throws {
        try await withPage("ants") { client in
            let person = try await Person("Dodam", client)
            let group = ID()
            let page = text(await client.get("/groups/\(group)", headers: ["Cookie": "anthill=\(person.token)"]))
            #expect(page.contains("&limit=20\":{\"at\":\"2026-11\",\"board\":\"\(group)\"}"))
            #expect(page.contains("\"/groups/\(group)/days?month=2026-11\":{\"days\":\"2026-11\"}"))
        }
    }

    @Test func `the app can be installed, in the language of its pages`() async throws {
        try await withPage("ants") { client in
            for (cookie, accepted, name) in [("language=ko", "en", "공부 개미"), ("theme=dark", "en", "Anthill")] {
                let headers: Headers = ["Cookie": cookie, "Accept-Language": accepted]
                #expect(text(await client.get("/ants", headers: headers)).contains("href=\"/manifest.webmanifest\""))
                let manifest = await client.get("/manifest.webmanifest", headers: headers)
                #expect(manifest.headers["Content-Type"] == "application/manifest+json")
                #expect(text(manifest).contains("\"name\": \"\(name)\""))
                for icon in text(manifest).matches(of: #/"src": "([^"]+)"/#) {
                    let picture = await client.get(String(icon.1))
                    #expect(picture.headers["Content-Type"] == "image/png")
                    #expect(picture.headers["Cache-Control"]?.contains("immutable") == true)
                }
            }
        }
    }

    @Test func `the first page leads a signed-in visitor home`() async throws {
        try await withPage("ants") { client in
            let person = try await Person("Dodam", client)
            let home = await client.get("/", headers: ["Cookie": "anthill=\(person.token)"])
            #expect(home.status == Status(303))
            #expect(home.headers["Location"] == "/home")
            #expect(home.headers["Cache-Control"] == "no-store")
            let tag = try #require(await client.get("/").headers["ETag"])
            let again = await client.get("/", headers: ["Cookie": "anthill=\(person.token)", "If-None-Match": tag])
            #expect(again.status == Status(303))

            try await TestDatabase.current.sql("DELETE FROM sign_ins")
            for cookie in ["anthill=\(person.token)", "anthill=x", "theme=dark"] {
                #expect(await client.get("/", headers: ["Cookie": cookie]).status == .ok, "\(cookie)")
            }
        }
    }

    @Test func `the styles of all areas come in one file`() async throws {
        let folder = try PageRoutes.resource("Web").appending(path: "css")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == Set(WebApp.styles.map { "\($0).css" }) && files.count == WebApp.styles.count)
        try await withPage("ants") { client in
            let answer = await client.get("/styles.css")
            #expect(answer.headers["Content-Type"] == "text/css; charset=utf-8")
            let text = String(decoding: answer.body, as: UTF8.self)
            for file in files {
                let area = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                #expect(text.contains(area), "\(file)")
            }
        }
    }
}
