import API
import Accounts
import HTTP
import Reactor

/// Study that comes from a file.
struct ImportRoutes: Sendable {
    let imports: ImportStore
    let gate: Gate
    /// Reads files off the loops.
    let pool: WorkerPool

    var routes: [Endpoint] {
        [
            gate.user(
                .post, "/api/v1/me/imports", query: ["format", "dry_run", "time_zone", "date_format", "person"],
                maxBody: ImportFile.maxBytes, importFile)
        ]
    }

    private func importFile(_ request: Request, _ caller: Caller) async throws -> Response {
        let (options, dryRun) = (try ImportOptions(request.query), try Self.dryRun(request.query))
        guard Self.isCSV(request.headers["Content-Type"]) else { throw Refusal.imports.notCSV }
        let (file, batches) = try await read(request.body, options)
        let report = try await imports.record(
            file, batches: batches, of: caller.uid, timeZone: request.query["time_zone"], dryRun: dryRun)
        return try .json(ImportAnswer(report, of: file, dryRun: dryRun, language: request.language)).notStored()
    }

    private func read(_ body: [UInt8], _ options: ImportOptions) async throws -> (ImportFile, [String]) {
        do {
            return try await pool.run {
                let file = try ImportFile(body, options)
                return (file, try file.batches())
            }
        } catch is WorkerPool.Overloaded {
            throw Refusal.imports.busy
        }
    }

    private static func dryRun(_ query: QueryParameters) throws -> Bool {
        switch query["dry_run"] {
        case nil, "false": false
        case "true": true
        default: throw Refusal.imports.invalidDryRun
        }
    }

    private static func isCSV(_ type: String?) -> Bool {
        let parts = (type ?? "").lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\"" } }
        return parts.first == "text/csv"
            && parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || $0 == "charset=utf-8" }
    }
}

extension ImportOptions {
    init(_ query: QueryParameters) throws {
        self.init(person: query["person"])
        if let text = query["format"], text != "auto" {
            guard let format = ImportFormat(rawValue: text) else { throw Refusal.imports.invalidFormat }
            self.format = format
        }
        if let text = query["date_format"] {
            guard let format = DateFormat(rawValue: text) else { throw Refusal.imports.invalidDateFormat }
            dateFormat = format
        }
    }
}

/// The answer to an import: each row is recorded, was so before, or is refused.
private struct ImportAnswer: Encodable {
    struct Refused: Encodable {
        let line: Int
        let code: String
        let field: String?
        let detail: String
    }

    let format: ImportFormat
    let dryRun: Bool
    let rows: Int
    let recorded: Int
    let alreadyRecorded: Int
    /// The first 500.
    let refused: [Refused]
    let refusedTotal: Int
    let subjectsCreated: [String]
    let seconds: Int

    init(_ report: ImportReport, of file: ImportFile, dryRun: Bool, language: Language) {
        format = file.format
        self.dryRun = dryRun
        rows = file.rows
        recorded = report.recorded
        alreadyRecorded = report.alreadyRecorded
        refused = report.refused.prefix(500).map {
            Refused(line: $0.line, code: $0.code, field: $0.field, detail: $0.detail[language])
        }
        refusedTotal = report.refused.count
        subjectsCreated = report.subjectsCreated
        seconds = report.seconds
    }
}
