internal import CPostgres
import Glibc
import Reactor

/// How a connection is opened and what holds on it from the first statement on.
struct Session: Sendable {
    private let keywords: [(String, String)]
    /// The servers of the address, each as libpq's words for it.
    private var hosts: [[(String, String)]]
    private let given: [String: String]

    /// How many servers the address names.
    var hostCount: Int { hosts.count }

    typealias Standby = (name: String, session: Session)

    /// Each server on its own, with its name, as a standby: a primary there is refused. If several servers have the
    /// same name, the port tells them apart.
    var standbys: [Standby] {
        let names = hosts.map { host in
            host.first { $0.0 != "port" && !$0.1.isEmpty }?.1 ?? given["host"] ?? given["hostaddr"] ?? "replica"
        }
        return hosts.indices.map { number in
            var alone = self
            alone.hosts = [hosts[number] + [("target_session_attrs", "standby")]]
            let isOnly = names.count { $0 == names[number] } == 1
            let port = hosts[number].first { $0.0 == "port" }?.1 ?? ""
            return (isOnly ? names[number] : "\(names[number]):\(port.isEmpty ? "5432" : port)", alone)
        }
    }

    /// Throws ``PostgresError`` if `url` is not a connection URL or string.
    init(
        url: String, readOnly: Bool, statement: Duration = .seconds(4), idle: Duration = .seconds(10)
    ) throws(PostgresError) {
        var parameters = [
            "statement_timeout": "\(statement.components.seconds)s",
            "lock_timeout": "\(statement.components.seconds * 500)ms",
            "idle_in_transaction_session_timeout": "\(idle.components.seconds)s",
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
        given = try Session.options(of: url)
        hosts = try Session.hosts(given)
        keywords = [
            // What comes before the URL may be overridden by it, what comes after may not.
            ("tcp_user_timeout", "15000"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
            // Looking for Kerberos tickets may block.
            ("gssencmode", "disable"),
            ("dbname", url),
            ("application_name", "anthill"), ("client_encoding", "UTF8"),
            // A standby takes no writes, and lags behind.
            ("target_session_attrs", "primary"),
            ("options", ([given["options"]].compactMap { $0 } + options).joined(separator: " ")),
        ]
    }

    /// Begins to connect to one of the servers. This looks its name up and so may block: not on a loop.
    func begin(_ host: Int) -> Handle? {
        let keywords = keywords + hosts[host]
        let names: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer(strdup($0.0)) } + [nil]
        let values: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer(strdup($0.1)) } + [nil]
        defer { for word in names + values { free(UnsafeMutablePointer(mutating: word)) } }
        return PQconnectStartParams(names, values, 1).map(Handle.init)
    }

    /// One server at a time: libpq would try them all, and wait for the first one without an end.
    private static func hosts(_ given: [String: String]) throws(PostgresError) -> [[(String, String)]] {
        let lists = ["host", "hostaddr", "port"].map { name in
            (name, (given[name] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        }
        let count = lists.map(\.1.count).max() ?? 1
        if count == 1 { return [[]] }
        guard lists.allSatisfy({ [1, count].contains($0.1.count) }) else {
            throw .usage("names servers and ports in different numbers")
        }
        return (0..<count).map { number in
            lists.map { name, values in (name, values.count == 1 ? values[0] : values[number]) }
        }
    }

    private static func options(of url: String) throws(PostgresError) -> [String: String] {
        guard let options = PQconninfoParse(url, nil) else {
            throw PostgresError.usage(
                "is not an address that PostgreSQL understands; "
                    + "in the password write @ / # % : as %40 %2F %23 %25 %3A")
        }
        defer { PQconninfoFree(options) }
        var given: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            given[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) }
            option += 1
        }
        return given
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
    let hosts: Hosts
    let workers: WorkerPool

    /// On `loop`: calls `body` there with the connection, or with nil if no thread was free in time.
    func begin(_ host: Int, on loop: EventLoop, _ body: @escaping (Handle?) -> Void) {
        struct Reply: @unchecked Sendable { let body: (Handle?) -> Void }
        let reply = Reply(body: body)
        Task(executorPreference: loop) { [session, workers] in
            let handle = try? await workers.run { session.begin(host) }
            reply.body(handle ?? nil)
        }
    }
}
