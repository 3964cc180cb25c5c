import API
import Accounts
import HTTP
import Postgres
import Reactor

/// Study that leaves: as tables for people and programs, and everything at once as JSON.
struct ExportRoutes: Sendable {
    private static let pageSize = 500

    let exports: ExportStore
    let gate: Gate
    /// Writes tables off the loops.
    let pool: WorkerPool

    var routes: [Endpoint] {
        [
            gate.user(.get, "/api/v1/me/sessions.csv", query: Request.dayParameters, mayLag: Gate.always) {
                try await table(.sessions, $0, $1)
            },
            gate.user(.get, "/api/v1/me/intervals.csv", query: Request.dayParameters, mayLag: Gate.always) {
                try await table(.intervals, $0, $1)
            },
            gate.user(.get, "/api/v1/me/sessions.json", query: Request.dayParameters, mayLag: Gate.always, sessions),
            gate.user(.get, "/api/v1/me/export", whileLeaving: true, mayLag: Gate.always, everything),
        ]
    }

    private func table(_ table: ExportTable, _ request: Request, _ caller: Caller) async throws -> Response {
        let pages = try await pages(request, caller)
        let download = Self.download(count: pages.count + 1) { [exports, pool] number in
            if number == 0 { return Array(table.header.utf8) }
            let rows = try await exports.intervals(of: caller.uid, in: Array(pages[number - 1]))
            return try await pool.run { Array(try table.lines(rows).utf8) }
        }
        return try await response(download, "text/csv; charset=utf-8", "\(table.rawValue)", "csv", caller)
    }

    private func sessions(_ request: Request, _ caller: Caller) async throws -> Response {
        let pages = try await pages(request, caller)
        return try await response(
            documents(pages, of: caller, after: "{\"sessions\":["), "application/json", "sessions", "json", caller)
    }

    private func everything(_ request: Request, _ caller: Caller) async throws -> Response {
        let (parts, at) = try await exports.account(of: caller.uid)
        let ids = try await exports.sessions(of: caller.uid, from: nil, to: nil, withDiscarded: true)
        let head = parts.map { "\"\($0.name)\":\($0.content)," }.joined()
        let download = documents(
            Self.pages(ids), of: caller, after: "{\"exported_at\":\"\(at)\",\(head)\"sessions\":[")
        return try await response(download, "application/json", "everything", "json", caller)
    }

    /// `head`, then the sessions with commas between, then the end of the list and of the object.
    private func documents(_ pages: [ArraySlice<ID>], of caller: Caller, after head: String) -> Download {
        Self.download(count: pages.count + 2) { [exports] number in
            if number == 0 { return Array(head.utf8) }
            if number == pages.count + 1 { return Array("]}".utf8) }
            let documents = try await exports.documents(of: caller.uid, Array(pages[number - 1]))
            return Array(((number > 1 ? "," : "") + documents.joined(separator: ",")).utf8)
        }
    }

    /// Its pieces are read later; none is older than what was read before it.
    private static func download(
        count: Int, _ piece: @escaping @Sendable (Int) async throws -> [UInt8]
    ) -> Download {
        let reading = Database.reading
        return Download(count: count) { number in
            try await Database.$reading.withValue(reading) { try await piece(number) }
        }
    }

    private func pages(_ request: Request, _ caller: Caller) async throws -> [ArraySlice<ID>] {
        let (from, to) = try request.days(many: true)
        return Self.pages(try await exports.sessions(of: caller.uid, from: from, to: to, withDiscarded: false))
    }

    private static func pages(_ ids: [ID]) -> [ArraySlice<ID>] {
        stride(from: 0, to: ids.count, by: pageSize).map { ids[$0..<min($0 + pageSize, ids.count)] }
    }

    private func response(
        _ download: Download, _ type: String, _ name: String, _ ending: String, _ caller: Caller
    ) async throws -> Response {
        let file = "anthill-\(name)-\(try await exports.today(of: caller.uid)).\(ending)"
        return Response(
            headers: ["Content-Type": type, "Content-Disposition": "attachment; filename=\"\(file)\""],
            body: .download(download)
        ).notStored()
    }
}
