import Reactor

/// Reads that may be a few seconds old, but for what somebody wrote last.
extension Database {
    package var hasReplicas: Bool { replicas.count > 0 }

    package var replicaFigures: [ReplicaFigures] { replicas.all }

    /// Whether it is a position on the primary's timeline, as far as is known.
    package func isOfNow(_ position: Position) -> Bool { position.timeline == replicas.timeline }

    private static let place: Query = "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint"
    private static let cluster: Query = "SELECT system_identifier FROM pg_control_system()"

    /// Where the database is: all that was acknowledged until now lies before it.
    package func position() async throws -> Position {
        let (place, timeline) = try await read(
            """
            SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint,
              ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::bigint
            """
        ).one.decode(Int.self, Int.self)
        return Position(timeline: timeline, place: place)
    }

    /// Runs `body`. Its reads, outside of transactions, may go to a replica that has come to `position`; with nil to none.
    package static func reading<T: Sendable>(
        from position: Position?, _ body: () async throws -> T
    ) async rethrows -> T {
        try await $reading.withValue(position.map(Reading.init), operation: body)
    }

    /// Runs `body` if a replica can answer all that it reads; otherwise nil.
    package func onReplica<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T? {
        guard hasReplicas, let reading = Database.reading, reading.position != nil else { return nil }
        do {
            return try await Database.$isReplicaNeeded.withValue(true, operation: body)
        } catch is NoReplica {
            reading.leaveReplica()
            return nil
        }
    }

    /// No replica could answer, and nobody else was to be asked.
    struct NoReplica: Error {}

    /// The answer of a replica that has come far enough; nil if there is none, or if it cannot answer. Then the primary
    /// does.
    func askReplica(_ query: Query, _ reading: Reading, _ pool: Pool) async -> Rows? {
        guard let (number, timeline, position) = reading.replica(of: replicas) else { return nil }
        do {
            // What the statement in the middle saw is no older than the first place, and no newer than the last one.
            let rows = try await Work(.write, [Self.place, query, Self.place]).result { work in
                pool.onLoop { pool.submit(work, toReplica: number) }
            }
            guard try rows[0].one.decode(Int.self) >= position.place else { return nil }
            reading.came(to: Position(timeline: timeline, place: try rows[2].one.decode(Int.self)))
            replicas.countRead(of: number)
            return rows[1]
        } catch {
            if let error = error as? PostgresError, error.kind == .connection { replicas.lose(number) }
            return nil
        }
    }

    // MARK: Watching

    /// There is a connection pooler before a replica.
    package struct PooledReplica: Error {}

    /// Throws ``PooledReplica``. A replica that is away may come back.
    func checkReplicas(_ pool: Pool) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for number in 0..<replicas.count {
                group.addTask {
                    do { _ = try await self.report(of: number, pool) } catch let error as PostgresError {
                        if error.isOfPooler { throw PooledReplica() }
                    }
                }
            }
        }
    }

    /// Asks the primary and all replicas once a second how far they are.
    func watchReplicas(_ pool: Pool) -> Task<Void, Never> {
        Task(executorPreference: pool.loop) { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { [self] in
                    await everySecond { await watchPrimary() }
                }
                for number in 0..<replicas.count {
                    group.addTask { [self] in
                        await everySecond { await watchReplica(number, pool) }
                    }
                }
            }
        }
    }

    private func watchPrimary() async {
        let askedAt = ContinuousClock.now
        guard let position = try? await position(),
            let cluster = try? await read(Self.cluster).one.decode(Int.self)
        else { return }
        replicas.primary(is: .init(cluster: cluster, place: position.place), on: position.timeline, at: askedAt)
    }

    private func watchReplica(_ number: Int, _ pool: Pool) async {
        let report = try? await report(of: number, pool)
        replicas.replica(number, is: report, at: .now)
        // Who waits for its answer is answered by the primary.
        if report == nil {
            await everyPool { pool, done in
                pool.leave(number); done()
            }
        }
    }

    private func report(of number: Int, _ pool: Pool) async throws -> Replicas.Report {
        let rows = try await Work(.write, [Self.place, Self.cluster]).result { work in
            pool.onLoop { pool.submit(work, watching: number, within: .seconds(1)) }
        }
        return Replicas.Report(cluster: try rows[1].one.decode(Int.self), place: try rows[0].one.decode(Int.self))
    }

    private func everySecond(_ body: () async -> Void) async {
        while !Task.isCancelled {
            await body()
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
