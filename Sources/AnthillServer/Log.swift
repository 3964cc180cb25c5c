import Foundation
import Glibc
import HTTP
import Time

/// One line for each thing worth knowing, on standard error: words for a person at a terminal, JSON for a machine.
///
/// Callers pass no secret, token, address of a person or bound value.
struct Log: Sendable {
    enum Level: String { case info, warning, error }

    private let isTerminal: Bool
    private let write: @Sendable (String) -> Void

    /// Writes to standard error, whose lines the writer takes; see ``standardError()``.
    init(_ writer: LineWriter) {
        self.init(isTerminal: Log.isAtTerminal) { writer.write($0) }
    }

    /// Standard error, with a line of the log for those that were dropped.
    static func standardError() -> LineWriter {
        LineWriter(STDERR_FILENO) { dropped in
            line(isTerminal: isAtTerminal, .warning, "log lines were dropped", ["lines": dropped])
        }
    }

    private static let isAtTerminal = isatty(STDERR_FILENO) == 1

    init(isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    /// Writes `message` with `fields` in their order.
    func callAsFunction(_ level: Level = .info, _ message: String, _ fields: KeyValuePairs<String, any LogValue> = [:])
    {
        write(Log.line(isTerminal: isTerminal, level, message, fields))
    }

    /// An error that became a 500, with what names its request in the access log.
    func failure(_ error: any Error, of request: Request) {
        self(
            .error, "\(request.method.rawValue) \(request.route) failed",
            ["request": request.id, "trace_id": request.trace.text, "error": "\(error)"])
    }

    private static func line(
        isTerminal: Bool, _ level: Level, _ message: String, _ fields: KeyValuePairs<String, any LogValue>
    ) -> String {
        if isTerminal {
            let clock = Date.now.formatted(Log.clock)
            let mark = level == .info ? "" : "\(level.rawValue): "
            let rest = fields.map {
                $0.value.plain.contains(" ") ? "\($0.key)=\($0.value.json)" : "\($0.key)=\($0.value.plain)"
            }
            return ([clock, mark + message] + rest).joined(separator: " ") + "\n"
        }
        // Piece by piece into one text: each request writes a line.
        var line = "{\"time\":\""
        line.reserveCapacity(320)
        line += Instant(secondsSince1970: Int(Date.now.timeIntervalSince1970)).description
        line += "\",\"level\":\""
        line += level.rawValue
        line += "\",\"message\":"
        message.writeJSON(to: &line)
        for (key, value) in fields {
            line += ",\""
            line += key
            line += "\":"
            value.writeJSON(to: &line)
        }
        line += "}\n"
        return line
    }

    private static let clock = Date.VerbatimFormatStyle(
        format:
            "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)",
        timeZone: .current, calendar: .current)
}

/// What a field of a log line may hold.
protocol LogValue: Sendable {
    var plain: String { get }
    func writeJSON(to line: inout String)
}

extension LogValue {
    var json: String {
        var text = ""
        writeJSON(to: &text)
        return text
    }
}

extension Int: LogValue {
    var plain: String { String(self) }
    func writeJSON(to line: inout String) { line += String(self) }
}

extension String: LogValue {
    var plain: String { self }

    /// Quoted and escaped: no value can end its line or colour a terminal.
    func writeJSON(to line: inout String) {
        // Nearly all values; looking at scalars one by one takes several times as long.
        let needsNothing = utf8.allSatisfy {
            (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        line += "\""
        if needsNothing {
            line += self
        } else {
            for scalar in unicodeScalars {
                switch scalar {
                case "\"", "\\": line += "\\\(scalar)"
                case "\u{20}"..."\u{7e}", "\u{a0}"...: line.unicodeScalars.append(scalar)
                default:
                    line +=
                        "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
                        + String(scalar.value, radix: 16)
                }
            }
        }
        line += "\""
    }
}
