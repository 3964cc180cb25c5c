import Foundation
import HTTP
import Testing

@Suite struct StaticFilesTests {
    /// Runs `body` with the files of a folder made for it.
    private func withFiles(_ body: (StaticFiles, Router) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "anthill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, content) in [
            ("index.html", "start"), ("home.html", "home"), ("js/app.js", "1"), ("art/ant.svg", "<svg/>"),
            ("art/x.png", "png"), (".hidden", "no"), ("help/index.html", "help"), ("group.html", "group"),
        ] {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
        let files = try StaticFiles(folder: folder)
        let group = try files.route("/groups/{id}", page: "group.html")
        try await body(files, Router(files.routes + [group]))
    }

    @Test func `pages lose their ending, other files are found under their own name`() async throws {
        try await withFiles { _, router in
            for (path, content, type) in [
                ("/", "start", "text/html; charset=utf-8"), ("/home", "home", "text/html; charset=utf-8"),
                ("/help", "help", "text/html; charset=utf-8"), ("/js/app.js", "1", "text/javascript; charset=utf-8"),
                ("/art/ant.svg", "<svg/>", "image/svg+xml"), ("/art/x.png", "png", "image/png"),
                ("/groups/1", "group", "text/html; charset=utf-8"),
            ] {
                let answer = await router.respond(to: Request(.get, try #require(Target(path))))
                #expect(answer.text == content && answer.headers["Content-Type"] == type)
            }
            for path in ["/.hidden", "/home.html", "/../etc/passwd", "/%2e%2e/etc/passwd", "/js", "/js/"] {
                let answer = await router.respond(to: Request(.get, try #require(Target(path))))
                #expect(answer.status == .notFound, "\(path)")
            }
        }
    }

    @Test func `a page may load only what is ours, and is asked for anew each time`() async throws {
        try await withFiles { _, router in
            let page = await router.respond(to: Request(.get, "/"))
            #expect(
                page.headers["Content-Security-Policy"]
                    == "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'")
            #expect(page.headers.all("X-Content-Type-Options") == ["nosniff"])
            #expect(page.headers["Referrer-Policy"] == "no-referrer")
            #expect(page.headers.all("Cache-Control") == ["no-cache"])
            let tag = try #require(page.headers["ETag"])
            let again = await router.respond(to: Request(.get, "/", headers: ["If-None-Match": tag]))
            #expect(again.status == .notModified)
        }
    }

    @Test func `a page that is missing is an error at start`() async throws {
        try await withFiles { files, _ in
            #expect(throws: StaticFiles.Unreadable.self) { try files.page("none.html") }
            let nowhere = URL(filePath: "/nowhere/at/all")
            #expect(throws: StaticFiles.Unreadable.self) { try StaticFiles(folder: nowhere) }
        }
    }
}
