/// What the doctor found, as one answer.
struct Health: Sendable {
    /// How bad it is, and the exit status that monitors know for it.
    enum Status: String, Encodable, Comparable, CaseIterable, Sendable {
        case ok, warning, critical

        var exitStatus: Int32 { Int32(Status.allCases.firstIndex(of: self)!) }
        static func < (a: Status, b: Status) -> Bool { a.exitStatus < b.exitStatus }
    }

    /// One thing that was looked at.
    struct Finding: Encodable, Equatable, Sendable {
        let check: String
        let status: Status
        let message: String
        /// More lines, where one does not say it all.
        let details: [String]

        init(_ check: String, _ status: Status, _ message: String, _ details: [String] = []) {
            self.check = check
            self.status = status
            self.message = message
            self.details = details
        }
    }

    let findings: [Finding]
    var status: Status { findings.map(\.status).max() ?? .ok }

    var answer: Answer {
        get throws {
            let lines = findings.flatMap { finding in
                ["\(columns(finding.status.rawValue, 9)) \(columns(finding.check, 13)) \(finding.message)"]
                    + finding.details.map { columns("", 24) + $0 }
            }
            return try Answer(lines.joined(separator: "\n"), Report(status: status, checks: findings))
        }
    }

    private struct Report: Encodable {
        let status: Status
        let checks: [Finding]
    }

    private func columns(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
