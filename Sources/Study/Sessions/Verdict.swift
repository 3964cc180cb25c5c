import HTTP
import Postgres

/// The result of one session of a batch: the answer it would have got if sent alone.
struct Verdict: Sendable, Encodable {
    /// As the client named it, or its new name; nil where it could not be read.
    @OrNull var id: ID?
    let status: Int
    var code: String?
    var field: String?
    var detail: String?
    /// What is in its way.
    var overlaps: Stretch?

    init(of id: ID, _ recording: Recording) {
        _id = OrNull(wrappedValue: id)
        status = (recording == .new ? Status.created : .ok).code
    }

    init(of id: ID?, _ refusal: any ResponseError, in language: Language) {
        _id = OrNull(wrappedValue: id)
        status = refusal.status.code
        code = refusal.code
        field = refusal.field
        detail = refusal.detail[language]
        overlaps = refusal.extra?["overlaps"] as? Stretch
    }
}
