import Foundation
import Synchronization
import Testing

@testable import AnthillServer

@Suite struct LogTests {
    final class Lines: Sendable {
        let all = Mutex<[String]>([])
        func log(isTerminal: Bool) -> Log {
            Log(isTerminal: isTerminal) { line in self.all.withLock { $0.append(line) } }
        }
    }

    @Test func `a machine reads one JSON object per line whatever the values hold`() throws {
        let lines = Lines()
        lines.log(isTerminal: false)(.warning, "odd \"things\"", ["route": "/a\n\u{1b}[31m/한", "status": 404])
        let line = try #require(lines.all.withLock { $0 }.first)
        #expect(line.count(where: { $0 == "\n" }) == 1)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["message"] as? String == "odd \"things\"")
        #expect(object?["route"] as? String == "/a\n\u{1b}[31m/한")
        #expect(object?["status"] as? Int == 404)
        #expect(object?["level"] as? String == "warning")
    }

    @Test func `a person reads the message first and a level only when it matters`() throws {
        let lines = Lines()
        let log = lines.log(isTerminal: true)
        log(.info, "GET /home", ["status": 200])
        log(.error, "database away", ["reason": "connection refused"])
        let all = lines.all.withLock { $0 }
        #expect(all[0].hasSuffix(" GET /home status=200\n"))
        #expect(all[1].hasSuffix(" error: database away reason=\"connection refused\"\n"))
    }
}
