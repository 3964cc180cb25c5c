import Foundation
import HTTP
import Postgres
import Reactor
import TestSupport
import Testing

@testable import Accounts
@testable import Pictures

@Suite(.database) struct AvatarTests {
    /// A red point.
    private static let png = Array(
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")!)

    private func upload(_ service: AccountsService, _ bearer: String, _ type: String = "image/png") async -> Answer {
        await service.client.send(
            .put, "/api/v1/me/avatar", bytes: Self.png, bearer: bearer, headers: ["Content-Type": type])
    }

    @Test func `a picture is kept under an address with its version`() async throws {
        let service = try AccountsService()
        let (uid, bearer) = try await service.register()
        let answer = await upload(service, bearer)
        let url = try #require(answer.json["avatar_url"].string)
        #expect(url.hasPrefix("/api/v1/users/\(uid)/avatar?v="))
        let picture = await service.client.get(url, bearer: bearer)
        #expect(picture.headers["Content-Type"] == "image/webp")
        #expect(picture.headers["Cache-Control"] == "private, max-age=31536000, immutable")
        #expect(await service.client.get("/api/v1/me", bearer: bearer).json["avatar_url"] == .string(url))
        #expect(await service.client.delete("/api/v1/me/avatar", bearer: bearer).status == .noContent)
        #expect(await service.client.get(url, bearer: bearer).status == .notFound)
    }

    @Test func `changing and removing it is written down, removing only where there is one`() async throws {
        let service = try AccountsService()
        let (uid, bearer) = try await service.register()
        for _ in 0..<2 { _ = await upload(service, bearer) }
        for _ in 0..<2 { _ = await service.client.delete("/api/v1/me/avatar", bearer: bearer) }
        let kinds = try await service.test.database.read(
            "SELECT kind FROM audit_events WHERE uid = \(uid) AND kind LIKE 'picture%' ORDER BY id"
        ).decode(String.self)
        #expect(kinds == ["picture_changed", "picture_changed", "picture_removed"])
    }

    @Test func `a type that is none of the three costs no attempt`() async throws {
        var limits = Limits()
        limits.pictures = .init(1, in: 60)
        let service = try AccountsService(limits: limits)
        let (_, bearer) = try await service.register()
        #expect(await upload(service, bearer, "image/gif").code == "not_a_picture")
        #expect(await upload(service, bearer, "IMAGE/PNG").status == .ok)
        let second = await upload(service, bearer)
        #expect(second.status == .tooManyRequests && second.headers["Retry-After"] == "60")
    }

    @Test func `where too many pictures wait, the next is told to come again and nothing is kept`() async throws {
        let pool = WorkerPool(threads: 1, queue: 0, patience: .seconds(1))
        let service = try AccountsService(pictures: PictureMaker(program: AccountsService.program, pool: pool))
        let (uid, bearer) = try await service.register()
        let answer = await upload(service, bearer)
        #expect(answer.status == .unavailable && answer.code == "busy" && answer.headers["Retry-After"] == "2")
        #expect(try await service.number("SELECT count(*) FROM avatars WHERE uid = \(uid)") == 0)
        #expect(try await service.number("SELECT count(*) FROM audit_events WHERE kind = 'picture_changed'") == 0)
    }

    @Test func `output of the picture process that is not WebP is not kept`() async throws {
        let program = FileManager.default.temporaryDirectory.appending(path: "anthill-\(UUID().uuidString)").path
        // Written by another process: what this one has open for writing, a process of another test may hold, too.
        _ = try ChildProcess.run(
            "/bin/sh", ["-c", "cat >\(program); chmod 700 \(program); exit 0"],
            input: Array("#!/bin/sh\necho '<script>alert(1)</script>'\n".utf8), mostOutput: 0, within: .seconds(20))
        defer { try? FileManager.default.removeItem(atPath: program) }
        let service = try AccountsService(pictures: PictureMaker(program: program))
        let (uid, bearer) = try await service.register()
        #expect(await upload(service, bearer).code == "invalid_picture")
        #expect(try await service.number("SELECT count(*) FROM avatars WHERE uid = \(uid)") == 0)
    }
}
