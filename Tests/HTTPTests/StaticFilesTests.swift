import Foundation
import HTTP
import Testing

@Suite struct StaticFilesTests {
    private let long = String(repeating: "const ants = 5;\n", count: 200)

    /// Runs `body` with the files of a folder made for it, and the address under which its script is kept.
    private func withFiles(_ body: (StaticFiles, Router, String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "anthill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, content) in [
            ("js/app.js", long), ("js/other.js", "1"), ("art/ant.svg", "<svg/>"), ("art/x.png", "png"),
            (".hidden", "no"),
            ("css/.hidden/a.css", "no"),
        ] {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
        var files = try StaticFiles(folder: folder)
        files.add("made.css", "a {}")
        let address = try files.address(of: "js/app.js")
        try await body(files, Router(files.routes), address)
    }

    private func get(_ router: Router, _ path: String, _ headers: Headers = [:]) async throws -> Response {
        await router.respond(to: Request(.get, try #require(Target(path)), headers: headers))
    }

    @Test func `files are found under their own name, and asked for anew each time`() async throws {
        try await withFiles { _, router, _ in
            for (path, content, type) in [
                ("/js/app.js", long, "text/javascript; charset=utf-8"), ("/art/ant.svg", "<svg/>", "image/svg+xml"),
                ("/art/x.png", "png", "image/png"), ("/made.css", "a {}", "text/css; charset=utf-8"),
            ] {
                let answer = try await get(router, path)
                #expect(answer.text == content && answer.headers["Content-Type"] == type)
                #expect(answer.headers.all("Cache-Control") == ["no-cache"])
                #expect(!answer.headers.contains("Content-Encoding"))
                let tag = try #require(answer.headers["ETag"])
                #expect(try await get(router, path, ["If-None-Match": tag]).status == .notModified)
            }
            for path in ["/.hidden", "/css/.hidden/a.css", "/../etc/passwd", "/%2e%2e/etc/passwd", "/js", "/js/", "/"] {
                #expect(try await get(router, path).status == .notFound, "\(path)")
            }
        }
    }

    @Test func `a file may load only what is ours`() async throws {
        try await withFiles { _, router, address in
            for path in ["/js/app.js", address] {
                let file = try await get(router, path)
                #expect(
                    file.headers["Content-Security-Policy"]
                        == "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'")
                #expect(file.headers.all("X-Content-Type-Options") == ["nosniff"])
                #expect(file.headers["Referrer-Policy"] == "no-referrer")
            }
        }
    }

    @Test func `browsers keep a file for ever at the address of its content`() async throws {
        try await withFiles { files, router, address in
            #expect(address.wholeMatch(of: #/\/assets\/[0-9a-z]{20,}\/js\/app\.js/#) != nil)
            let file = try await get(router, address)
            #expect(file.text == long)
            #expect(file.headers.all("Cache-Control") == ["public, max-age=31536000, immutable"])

            var more = files
            more.add("js/same.js", long)
            more.add("js/more.js", long + "// more")
            let digest = { (address: String) in address.split(separator: "/")[1] }
            #expect(try more.address(of: "js/app.js") == address)
            #expect(try digest(more.address(of: "js/same.js")) == digest(address))
            #expect(try digest(more.address(of: "js/more.js")) != digest(address))
        }
    }

    @Test func `an address of another version answers the file as it is now, which nobody keeps`() async throws {
        try await withFiles { _, router, _ in
            let file = try await get(router, "/assets/earlier/js/app.js", ["Accept-Encoding": "br"])
            #expect(file.text == long)
            #expect(file.headers.all("Cache-Control") == ["no-cache"])
            #expect(try await get(router, "/assets/earlier/js/other.js").status == .notFound)
        }
    }

    @Test func `a kept file comes packed as the client can unpack it`() async throws {
        try await withFiles { _, router, address in
            for (accepted, coding) in [
                ("gzip, deflate, br", "br"), ("GZIP", "gzip"), ("br;q=0, gzip;q=0.5", "gzip"), ("identity", nil),
                ("", nil), ("brotli", nil),
            ] {
                let file = try await get(router, address, ["Accept-Encoding": accepted])
                #expect(file.headers["Content-Encoding"] == coding, "\(accepted)")
                #expect(file.headers["Vary"] == "Accept-Encoding")
                let isPacked = file.body.count < long.utf8.count / 10
                #expect(coding == nil ? file.text == long : isPacked, "\(accepted)")
            }
        }
    }

    @Test func `what is no smaller packed is not packed`() async throws {
        try await withFiles { files, _, _ in
            var files = files
            let address = try files.address(of: "art/ant.svg")
            let file = try await get(Router(files.routes), address, ["Accept-Encoding": "gzip, br"])
            #expect(file.text == "<svg/>" && !file.headers.contains("Content-Encoding"))
        }
    }

    @Test func `a file that is missing is an error at start`() async throws {
        try await withFiles { files, _, _ in
            var files = files
            #expect(throws: StaticFiles.Unreadable.self) { try files.address(of: "none.js") }
            let nowhere = URL(filePath: "/nowhere/at/all")
            #expect(throws: StaticFiles.Unreadable.self) { try StaticFiles(folder: nowhere) }
        }
    }
}
