internal import CPostgres
import Glibc
import Reactor

/// How a connection is opened and what holds on it from the first statement on.
struct Session: Sendable {
    private let keywords: [(String, String)]

    /// Throws ``PostgresError`` if `url` is not a connection URL or string.
    init(url: String, readOnly: Bool) throws(PostgresError) {
        var parameters = [
            "statement_timeout": "4s", "lock_timeout": "2s", "idle_in_transaction_session_timeout": "10s",
            "timezone": "UTC", "datestyle": "ISO", "search_path": "public, pg_temp",
            // Our statements are short: compiling one costs more than it ever saves.
            "jit": "off",
            // They all look rows up by a key. A plan made while a table is small would scan it, and be kept while it grows.
            "enable_seqscan": "off",
        ]
        if readOnly { parameters["default_transaction_read_only"] = "on" }
        let options = parameters.sorted { $0.key < $1.key }.map { name, value in
            "-c \(name)=\(value.split(separator: " ").joined(separator: "\\ "))"
        }
        let asked = try Session.option("options", of: url)
        keywords = [
            // What comes before the URL may be overridden by it, what comes after may not.
            ("tcp_user_timeout", "15000"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
            // Looking for Kerberos tickets may block.
            ("gssencmode", "disable"),
            ("dbname", url),
            ("application_name", "anthill"), ("client_encoding", "UTF8"),
            ("options", ([asked].compactMap { $0 } + options).joined(separator: " ")),
        ]
    }

    /// Begins to connect. This looks the host's name up and so may block: not on a loop.
    func begin() -> Handle? {
        let names: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer(strdup($0.0)) } + [nil]
        let values: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer(strdup($0.1)) } + [nil]
        defer { for word in names + values { free(UnsafeMutablePointer(mutating: word)) } }
        return PQconnectStartParams(names, values, 1).map(Handle.init)
    }

    private static func option(_ name: String, of url: String) throws(PostgresError) -> String? {
        guard let options = PQconninfoParse(url, nil) else {
            throw PostgresError.usage("the database's address is not one that PostgreSQL understands")
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == name { return option.pointee.val.map { String(cString: $0) } }
            option += 1
        }
        return nil
    }
}

/// A libpq connection on its way from the thread that began it to its loop.
struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer

    func finish() { PQfinish(pointer) }
}

/// Begins connections on threads that may block.
struct Connector: Sendable {
    let session: Session
    let workers: WorkerPool

    /// On `loop`: calls `body` there with the connection, or with nil if no thread was free in time.
    func begin(on loop: EventLoop, _ body: @escaping (Handle?) -> Void) {
        struct Reply: @unchecked Sendable { let body: (Handle?) -> Void }
        let reply = Reply(body: body)
        Task(executorPreference: loop) { [session, workers] in
            let handle = try? await workers.run { session.begin() }
            reply.body(handle ?? nil)
        }
    }
}
