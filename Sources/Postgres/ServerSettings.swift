/// What the server must be like for us to rely on it.
struct ServerSettings {
    static let query: Query = """
        SELECT name, setting FROM pg_settings
        WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'max_connections',
          'superuser_reserved_connections', 'server_version_num', 'server_encoding')
        """

    private let values: [String: String]

    init(_ rows: Rows) throws {
        values = Dictionary(uniqueKeysWithValues: try rows.decode(String.self, String.self))
    }

    /// The lanes that each of so many loops may have. Throws ``PostgresError`` if the server cannot be used.
    func check(_ lanes: Database.Lanes, loops: Int, allowUnsafeDurability: Bool) throws -> Database.Lanes {
        guard number("server_version_num") >= 150_000 else {
            throw PostgresError.usage("PostgreSQL 15 or newer is needed")
        }
        guard values["server_encoding"] == "UTF8" else {
            throw PostgresError.usage("the database must be UTF8: make it with TEMPLATE template0 ENCODING 'UTF8'")
        }
        if !allowUnsafeDurability {
            for name in ["fsync", "full_page_writes", "synchronous_commit"] where values[name] == "off" {
                throw PostgresError.usage("\(name) is off: the server may lose what it has acknowledged")
            }
        }
        // Some are left for administrators, and half of the rest for a second instance.
        let spared = number("superuser_reserved_connections") + 5
        let available = number("max_connections") - spared
        guard let fitting = lanes.fitting(into: max(available / 2 / loops, min(available / loops, 3))) else {
            throw PostgresError.usage("max_connections must be at least \(3 * loops + spared) for \(loops) loops")
        }
        return fitting
    }

    private func number(_ name: String) -> Int { values[name].flatMap(Int.init) ?? 0 }
}

extension Database.Lanes {
    /// As many of these as fit besides the one for reads, at least one of each kind; nil if not even those do.
    func fitting(into connections: Int) -> Database.Lanes? {
        guard connections >= 3 else { return nil }
        var fitting = self
        while 1 + fitting.write + fitting.transaction > connections {
            if fitting.write >= fitting.transaction { fitting.write -= 1 } else { fitting.transaction -= 1 }
        }
        return fitting
    }
}
