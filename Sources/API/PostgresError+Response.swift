import HTTP
import Postgres

/// The total table from SQLSTATE to answer, for what no store has turned into its module's error.
extension PostgresError: ResponseError {
    private static let unreachable = Refusal(
        .unavailable, "database_unavailable", ko: "서버가 지금 데이터베이스에 연결할 수 없어요. 잠시 뒤에 다시 시도해 주세요.",
        en: "The server cannot reach its database right now. Try again in a moment."
    ).retry(afterSeconds: 2)
    private static let failed = Refusal(
        .internalError, "internal_error", ko: "서버에 문제가 생겼어요.", en: "Something went wrong on the server.")

    private var refusal: Refusal { isPassing ? Self.unreachable : Self.failed }
    package var status: Status { refusal.status }
    package var code: String { refusal.code }
    package var detail: Localized { refusal.detail }
    package var headers: [(String, String)] { refusal.headers }

    /// Whether the same request may well succeed in a moment.
    private var isPassing: Bool {
        switch sqlstate {
        case let state where state.hasPrefix("08"): true  // the connection
        case let state where state.hasPrefix("53"): true  // too little of something, our own queues included
        case let state where state.hasPrefix("57P0"): true  // shutting down, starting up
        case _ where isOfStandby: true
        case "57014", "55P03": true  // statement_timeout, lock_timeout
        case "40001", "40P01": true  // still in conflict after all retries
        default: false
        }
    }
}
