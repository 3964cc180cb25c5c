import API
import Groups
import HTTP
import Postgres

/// Reports in the database.
struct ReportStore: Sendable {
    let database: Database

    /// Reports somebody whom the reporter sees on that board, and answers the report's id.
    func make(by reporter: ID, about person: ID, on group: ID?, reason: String) async throws -> ID {
        try await Refusal.mapping {
            do {
                let rows = try await database.write("SELECT make_report(\(reporter), \(person), \(group), \(reason))")
                return try rows[0].decode(ID.self)
            } catch let error as PostgresError {
                // What comes with it is how many seconds to wait.
                guard error.constraint == "too_many_reports", let wait = error.facts.flatMap({ Int($0) }) else {
                    throw error
                }
                throw Refusal.moderation.tooManyReports.retry(afterSeconds: wait)
            }
        }
    }

    /// Answers a report, which closes it.
    func answer(_ report: ID, by admin: ID, _ answer: String) async throws {
        try await Refusal.mapping {
            _ = try await database.write("SELECT answer_report(\(admin), \(report), \(answer))")
        }
    }

    /// What somebody has reported, the latest first.
    func all(of reporter: ID, _ paging: Paging) async throws -> Page<OwnReport> {
        let rows = try await rows(for: reporter, of: reporter, onlyOpen: false, paging)
        return try Page(rows, paging, by: "made_at", "report_id", item: OwnReport.init)
    }

    /// Everybody's, the latest first, as a site admin sees them: none about themselves.
    func all(for admin: ID, onlyOpen: Bool, _ paging: Paging) async throws -> Page<Report> {
        let rows = try await rows(for: admin, of: nil, onlyOpen: onlyOpen, paging)
        return try Page(rows, paging, by: "made_at", "report_id", item: Report.init)
    }

    /// One of these; throws `not_found` for somebody else's.
    func one(_ report: ID, of reporter: ID) async throws -> OwnReport {
        let rows = try await database.read(
            "SELECT * FROM told_reports WHERE report_id = \(report) AND uid = \(reporter)")
        guard let row = rows.first else { throw Refusal.moderation.notFound }
        return try OwnReport(row)
    }

    /// One that a site admin has answered.
    func answered(_ report: ID) async throws -> Report {
        try Report(await database.read("SELECT * FROM told_reports WHERE report_id = \(report)").one)
    }

    private func rows(for viewer: ID, of reporter: ID?, onlyOpen: Bool, _ paging: Paging) async throws -> Rows {
        let after = try paging.instantAndID()
        return try await database.read(
            """
            SELECT * FROM made_reports(\(viewer), \(reporter), \(onlyOpen), \(after?.instant), \(after?.id),
              \(paging.limit + 1))
            """)
    }
}

extension OwnReport {
    /// A row of the view `told_reports`.
    fileprivate init(_ row: Row) throws {
        self.init(
            id: try row["report_id"], about: NamedUser(uid: try row["about"], nickname: try row["about_name"]),
            groupId: try row["group_id"], reason: try row["reason"], madeAt: try row["made_at"],
            answer: try row["answer"], answeredAt: try row["answered_at"])
    }
}

extension Report {
    /// A row of the view `told_reports`.
    fileprivate init(_ row: Row) throws {
        self.init(
            id: try row["report_id"], reporter: try NamedUser(row, "uid", "nickname"),
            about: NamedUser(uid: try row["about"], nickname: try row["about_name"]), groupId: try row["group_id"],
            groupName: try row["group_name"], reason: try row["reason"], madeAt: try row["made_at"],
            answer: try row["answer"], answeredAt: try row["answered_at"],
            answeredBy: try NamedUser(row, "answered_by", "answered_by_name"),
            aboutSuspended: try row["about_suspended"], aboutCount: try row["about_count"])
    }
}
