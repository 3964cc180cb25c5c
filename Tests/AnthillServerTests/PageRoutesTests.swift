import API
import Foundation
import HTTP
import TestSupport
import Testing

@testable import AnthillServer

@Suite(.database) struct PageRoutesTests {
    /// Runs `body` with a client of the web app and one page more, whose script alone was added.
    private func withPage(_ name: String, _ body: (Client) async throws -> Void) async throws {
        let web = FileManager.default.temporaryDirectory.appending(path: "anthill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: web) }
        try FileManager.default.copyItem(at: PageRoutes.resource("Web"), to: web)
        try Data("document.title = 'Ants';".utf8).write(to: web.appending(path: "pages/\(name).js"))
        try await body(Client(Router(PageRoutes(Person.gate(), web: web).routes.map(\.route), isSecure: true)))
    }

    @Test func `a page needs no more than its script`() async throws {
        try await withPage("ants") { client in
            let ants = await client.get("/ants")
            let text = String(decoding: ants.body, as: UTF8.self)
            #expect(ants.status == .ok)
            #expect(text.contains("<script type=\"module\" src=\"/pages/ants.js\"></script>"))
            #expect(await client.get("/pages/ants.js").status == .ok)
            #expect(await client.get("/ants.html").status == .notFound)

            // Everything else is as on any other page.
            let home = await client.get("/home")
            #expect(String(decoding: home.body, as: UTF8.self) == text.replacing("ants.js", with: "home.js"))
            for name in ["Content-Type", "Cache-Control", "Content-Security-Policy", "Strict-Transport-Security"] {
                #expect(ants.headers[name] != nil && ants.headers[name] == home.headers[name], "\(name)")
            }
            #expect(ants.headers["ETag"] != nil && ants.headers["ETag"] != home.headers["ETag"])
        }
    }

    @Test func `the page with no name of its own is the first one`() async throws {
        try await withPage("ants") { client in
            let first = await client.get("/")
            #expect(String(decoding: first.body, as: UTF8.self).contains("src=\"/pages/index.js\""))
            #expect(await client.get("/index").status == .notFound)
        }
    }

    @Test func `it leads a signed-in visitor home`() async throws {
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
        #expect(Set(files) == Set(PageShell.styles.map { "\($0).css" }) && files.count == PageShell.styles.count)
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

    @Test func `a page loads only files that are there`() async throws {
        try await withPage("ants") { client in
            let page = String(decoding: await client.get("/ants").body, as: UTF8.self)
            let files = page.matches(of: #/(?:href|src)="([^"]+)"/#).map { String($0.1) }
            #expect(files.count >= 5)
            for file in files { #expect(await client.get(file).status == .ok, "\(file)") }
        }
    }
}
