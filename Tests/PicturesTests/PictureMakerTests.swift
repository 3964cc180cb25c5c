import Foundation
import Reactor
import Synchronization
import Testing

@testable import Pictures

@Suite struct PictureMakerTests {
    /// The program as it was built beside these tests.
    private static let program = Bundle.main.executableURL!.deletingLastPathComponent().appending(path: "anthill").path
    private static let bounds = PictureMaker.Bounds(side: 32, mostPixels: 100, mostBytes: 10_000)
    /// A red point.
    private static let png = Array(
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")!)

    /// A program that does what `script` says instead of what this one does.
    private func program(_ script: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "anthill-picture-\(UUID().uuidString)").path
        // Written by another process: what this one has open for writing, a process of another test may hold, too.
        _ = try ChildProcess.run(
            "/bin/sh", ["-c", "cat >\(file); chmod 700 \(file); exit 0"], input: Array("#!/bin/sh\n\(script)\n".utf8),
            mostOutput: 0, within: .seconds(20))
        return file
    }

    @Test func `a picture comes out of the program as WebP`() async throws {
        let outcome = try await PictureMaker(program: Self.program).square(Self.png, Self.bounds)
        guard case .picture(let webp) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(webp.starts(with: "RIFF".utf8) && webp.dropFirst(8).starts(with: "WEBP".utf8))
    }

    @Test func `what is no picture is refused`() async throws {
        let maker = PictureMaker(program: Self.program)
        #expect(try await maker.square(Array("GIF89a".utf8), Self.bounds) == .refused)
        let bounds = PictureMaker.Bounds(side: 32, mostPixels: 0, mostBytes: 10_000)
        await #expect(throws: ChildProcess.Failure.self) { try await maker.square(Self.png, bounds) }
    }

    @Test(arguments: ["while :; do :; done", "sleep 60", "exec yes", "kill -SEGV $$"])
    func `a process that goes astray is killed, told about and gives no picture`(script: String) async throws {
        let program = try program(script)
        defer { try? FileManager.default.removeItem(atPath: program) }
        let reports = Mutex<[String]>([])
        let maker = PictureMaker(program: program, patience: .milliseconds(500)) { text in
            reports.withLock { $0.append(text) }
        }
        #expect(try await maker.square(Self.png, Self.bounds) == .refused)
        #expect(reports.withLock { $0.count } == 1)
    }

    @Test func `a process that cannot confine itself is an error of the service`() async throws {
        let program = try program("exit 1")
        defer { try? FileManager.default.removeItem(atPath: program) }
        let maker = PictureMaker(program: program)
        await #expect(throws: ChildProcess.Failure.self) { try await maker.square(Self.png, Self.bounds) }
    }

    @Test func `no more processes run at once than there are threads, and no more wait than may`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "anthill-pictures-\(UUID().uuidString)")
        let program = try program("echo begin >>\(file.path); sleep 1; echo end >>\(file.path); exit 3")
        defer { for path in [program, file.path] { try? FileManager.default.removeItem(atPath: path) } }
        let pool = WorkerPool(threads: 2, queue: 3, patience: .seconds(60))
        let maker = PictureMaker(program: program, pool: pool)
        let outcomes = await withTaskGroup { group in
            for _ in 0..<12 {
                group.addTask { try? await maker.square(Self.png, Self.bounds) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refused = outcomes.count { $0 == .refused }
        // Of the others it was said at once that too many wait.
        #expect((3...5).contains(refused) && outcomes.count { $0 == nil } == 12 - refused)
        var running = 0
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            running += line == "begin" ? 1 : -1
            #expect(running <= 2)
        }
    }
}
