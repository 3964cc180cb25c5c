/// What the server must be like for us to rely on it.
struct ServerSettings {
    static let query: Query = """
        SELECT name, setting FROM pg_settings
        WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'max_connections',
          'superuser_reserved_connections', 'server_version_num')
        """

    private let values: [String: String]

    init(_ rows: Rows) throws {
        values = Dictionary(uniqueKeysWithValues: try rows.decode(String.self, String.self))
    }

    /// Answers how many write lanes each loop may have. Throws ``PostgresError`` if the server is not fit.
    func check(_ lanes: Database.Lanes, loops: Int, allowUnsafeDurability: Bool) throws -> Int {
        let version = number("server_version_num")
        guard version >= 150_000 else { throw PostgresError.usage("PostgreSQL 15 or newer is needed") }
        if !allowUnsafeDurability {
            for name in ["fsync", "full_page_writes", "synchronous_commit"] where values[name] == "off" {
                throw PostgresError.usage("\(name) is off: the server may lose what it has acknowledged")
            }
        }
        // Some are left for those who look after the server.
        let available = number("max_connections") - number("superuser_reserved_connections") - 5
        let perLoop = available / loops
        guard perLoop >= 2 + lanes.transaction else {
            throw PostgresError.usage(
                "max_connections is too small: \(loops) loops need \(loops * (2 + lanes.transaction) + 5) and the reserved ones"
            )
        }
        return min(lanes.write, perLoop - 1 - lanes.transaction)
    }

    private func number(_ name: String) -> Int { values[name].flatMap(Int.init) ?? 0 }
}
