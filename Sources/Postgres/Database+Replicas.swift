import Reactor

/// Reads that may be a few seconds old, but for what somebody wrote last.
extension Database {
    package var hasReplicas: Bool { replicas.count > 0 }

    package var replicaFigures: [ReplicaFigures] { replicas.all }

    /// Where the database is: all that was acknowledged until now lies before it.
    package func position() async throws -> Position {
        try await read("SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint").one.decode(Int.self)
    }

    /// The position that a replica must have reached for reads of this task; nil if only the primary will do.
    package static var wantedPosition: Position? { known }

    /// Runs `body`. Its reads, outside of transactions, may go to a replica that has come to `position`.
    package static func reading<T: Sendable>(
        from position: Position?, _ body: () async throws -> T
    ) async rethrows -> T {
        try await $known.withValue(position, operation: body)
    }

    /// What a replica says that has come to `position`; nil if there is none, or it cannot answer: the primary then
    /// does.
    func askReplica(_ query: Query, _ position: Position, _ pool: Pool) async -> Rows? {
        guard let number = replicas.fit.randomElement() else { return nil }
        let rows = try? await ask(
            number, ["SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint >= \(position) AS knows", query], pool)
        guard let rows, let knows: Bool = try? rows[0].one["knows"], knows else { return nil }
        replicas.countRead(of: number)
        return rows[1]
    }

    private func ask(_ number: Int, _ queries: [Query], _ pool: Pool, within limit: Duration? = nil) async throws
        -> [Rows]
    {
        let work = Work(.write, queries)
        return try await work.result { work in pool.onLoop { pool.submit(work, toReplica: number, within: limit) } }
    }

    /// Asks the primary and all replicas once a second for their positions.
    func watchReplicas(_ pool: Pool) -> Task<Void, Never> {
        Task(executorPreference: pool.loop) { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { [self] in
                    await everySecond {
                        let asked = ContinuousClock.now
                        if let position = try? await position() { replicas.primary(was: position, at: asked) }
                    }
                }
                for number in 0..<replicas.count {
                    group.addTask { [self] in
                        await everySecond {
                            let query: Query = "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint"
                            let rows = try? await ask(number, [query], pool, within: .seconds(1))
                            replicas.replica(number, is: try? rows?[0].one.decode(Int.self), at: .now)
                        }
                    }
                }
            }
        }
    }

    private func everySecond(_ body: () async -> Void) async {
        while !Task.isCancelled {
            await body()
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
