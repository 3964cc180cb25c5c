internal import CPostgres

/// What has been sent on one connection and not been answered yet, in order.
final class Pipeline {
    private enum Step {
        case prepare(Statement)
        case execute(Statement, Work)
        /// A script, or a statement whose result nobody needs.
        case run(Work?)
        /// The end of an implicit transaction, with the work that it commits.
        case sync(Work?)

        var work: Work? {
            switch self {
            case .execute(_, let work): work
            case .run(let work), .sync(let work): work
            case .prepare: nil
            }
        }
    }

    private let handle: OpaquePointer
    private var flight = Queue<Step>()
    private var isAnswered = false
    private var statements = Statements()
    /// Filled and emptied by each `send`; kept to spare the allocation.
    private var prepared: [Statement] = []
    private let settle: (Work) -> Void

    /// Work in flight.
    private(set) var count = 0
    /// The server has become one that takes no writes.
    private(set) var isUnfit = false
    /// Said by the server before it closes the connection.
    private(set) var lastWords: PostgresError?

    /// `settle` is given each piece of work with its results or its fault, unless the connection is lost.
    init(_ handle: OpaquePointer, settle: @escaping (Work) -> Void) {
        self.handle = handle
        self.settle = settle
    }

    // MARK: Sending

    /// Sends `batch` as one implicit transaction; false if the connection does not take it.
    func send(_ batch: [Work]) -> Bool {
        defer { prepared.removeAll(keepingCapacity: true) }
        guard discardStatements() else { return false }
        // Each Parse has a Sync of its own before the batch: its failure harms nothing else, and no later failure
        // undoes it.
        for work in batch {
            for query in work.queries {
                guard let statement = statements.find(query.text) ?? prepare(query.text) else { return false }
                prepared.append(statement)
            }
        }
        var next = 0
        for work in batch {
            work.reset()
            count += 1
            for query in work.queries {
                flight.append(.execute(prepared[next], work))
                guard execute(prepared[next], query.parameters) else { return false }
                next += 1
            }
        }
        return sync(batch.first.flatMap { $0.kind == .read ? nil : $0 })
    }

    /// Sends raw text of several statements. Nothing may be in flight.
    func send(script: Work, _ text: String) -> Bool {
        script.reset()
        count += 1
        flight.append(.run(script))
        return PQexitPipelineMode(handle) == 1 && PQsendQuery(handle, text) == 1
    }

    private func sync(_ work: Work? = nil) -> Bool {
        flight.append(.sync(work))
        return PQpipelineSync(handle) == 1
    }

    private func prepare(_ text: String) -> Statement? {
        let statement = statements.add(text)
        flight.append(.prepare(statement))
        guard PQsendPrepare(handle, statement.name, text, 0, nil) == 1, sync() else { return nil }
        return statement
    }

    private func execute(_ statement: Statement, _ parameters: Parameters) -> Bool {
        parameters.withPointers { count, values, lengths, formats in
            PQsendQueryPrepared(handle, statement.name, count, values, lengths, formats, 1) == 1
        }
    }

    private func discardStatements() -> Bool {
        if statements.discarded.isEmpty { return true }
        for name in statements.takeDiscarded() {
            flight.append(.run(nil))
            guard PQsendQueryParams(handle, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1) == 1, sync() else {
                return false
            }
        }
        return true
    }

    // MARK: Receiving

    /// Takes what has arrived; false if the server has said its last or something that does not fit what was sent.
    func receive() -> Bool {
        var isSilent = false
        while !flight.isEmpty && PQisBusy(handle) == 0 {
            if let result = PQgetResult(handle) {
                isSilent = false
                guard take(result) else { return false }
            } else if isAnswered {
                complete()
            } else if isSilent {
                return false
            } else {
                isSilent = true
            }
        }
        return true
    }

    private func take(_ result: OpaquePointer) -> Bool {
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            let rows = Rows(result)
            switch flight.first {
            case .execute(_, let work), .run(.some(let work)): work.results.append(rows)
            case .prepare, .run(.none): break
            case .sync: return false
            }
            isAnswered = true
        case PGRES_PIPELINE_SYNC:
            PQclear(result)
            guard case .sync(let work) = flight.removeFirst() else { return false }
            if let work { finish(work) }
        case PGRES_PIPELINE_ABORTED:
            PQclear(result)
            switch flight.first {
            case .execute(_, let work): work.isStranded = true
            case .prepare(let statement): statements.forget(statement)
            case .run, .sync: break
            }
            isAnswered = true
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(result)
            return false
        default:
            defer { PQclear(result) }
            if PostgresError.isFatal(result) {
                lastWords = PostgresError(result, statement: nil)
                return false
            }
            refuse(result)
        }
        return true
    }

    private func refuse(_ result: OpaquePointer) {
        isAnswered = true
        switch flight.first {
        case .prepare(let statement):
            // No value has been sent yet, so the message cannot quote one.
            statement.fault = PostgresError(result, statement: statement.text, mayQuoteValues: false)
            statements.forget(statement)
        case .execute(let statement, let work):
            let error = PostgresError(result, statement: statement.text)
            // A read that writes is a mistake of ours.
            let isOfStandby = error.sqlstate == PostgresError.standby.sqlstate && work.kind != .read
            if isOfStandby { isUnfit = true }
            work.fault = statement.fault ?? (isOfStandby ? .standby : error)
            if error.isStalePlan { statements.discard(statement) }
            if error.isUnknownStatement { statements.forget(statement) }
        case .run(let work):
            work?.fault = PostgresError(result, statement: nil, mayQuoteValues: false)
        case .sync(let work):
            // A constraint that is checked at the commit.
            isAnswered = false
            work?.fault = PostgresError(result, statement: nil)
        }
    }

    /// The first step is fully answered.
    private func complete() {
        isAnswered = false
        switch flight.removeFirst() {
        case .execute(_, let work) where work.kind == .read: finish(work)
        case .run(.some(let script)):
            if script.fault == nil && PQtransactionStatus(handle) != PQTRANS_INTRANS {
                script.fault = .usage("a script must not end the transaction it runs in")
            }
            PQenterPipelineMode(handle)
            finish(script)
        default: break
        }
    }

    private func finish(_ work: Work) {
        count -= 1
        settle(work)
    }

    /// Whether nothing is in flight and no transaction is open.
    var isClean: Bool {
        guard flight.isEmpty && PQisBusy(handle) == 0 else { return false }
        // Lets libpq come to rest after the last Sync.
        if let result = PQgetResult(handle) {
            PQclear(result)
            return false
        }
        return PQtransactionStatus(handle) == PQTRANS_IDLE
    }

    /// The work in flight whose callers have waited long enough.
    func overdue(_ now: Duration) -> [Work] {
        var works: [Work] = []
        flight.forEach { step in
            guard let work = step.work, work.isAwaited, let latest = work.latest, latest <= now else { return }
            if works.last !== work { works.append(work) }
        }
        return works
    }

    /// Takes out all work that was not settled.
    func abandon() -> [Work] {
        count = 0
        var works: [Work] = []
        for step in flight.removeAll() {
            if let work = step.work, works.last !== work { works.append(work) }
        }
        return works
    }
}
