import HTTP
import Postgres

/// One way in which a request is refused: what is answered, and which constraints of the database mean it.
package struct Refusal: ResponseError {
    package let status: Status
    package let code: String
    package private(set) var field: String?
    package private(set) var headers: [(String, String)] = []
    package private(set) var extra: JSONMembers?
    let constraints: [String]
    private let words: @Sendable () -> Localized
    /// What stands where the words have `{}`.
    private var filling: Localized?

    /// The words are made when they are needed: the numbers of the rules in them are read at the start.
    package init(
        _ status: Status, _ code: String, on constraints: String..., field: String? = nil,
        ko: @autoclosure @escaping @Sendable () -> String, en: @autoclosure @escaping @Sendable () -> String
    ) {
        (self.status, self.code, self.constraints, self.field) = (status, code, constraints, field)
        words = { Localized(ko: ko(), en: en()) }
    }

    package var detail: Localized {
        guard let filling else { return words() }
        return Localized(
            ko: words().ko.replacing("{}", with: filling.ko), en: words().en.replacing("{}", with: filling.en))
    }
}

extension Refusal {
    /// A copy with this field.
    package func at(_ field: String?) -> Refusal { changed { $0.field = field } }

    /// A copy with its field renamed, for requests that use other field names.
    package func renaming(_ names: [String: String]) -> Refusal { at(field.map { names[$0] ?? $0 }) }

    /// A copy with `{}` in its text replaced.
    package func filled(with text: Localized) -> Refusal { changed { $0.filling = text } }

    /// The same where both languages have the same text.
    package func filled(with text: String) -> Refusal { filled(with: Localized(ko: text, en: text)) }

    /// The same with further members in its document.
    package func with(_ members: JSONMembers) -> Refusal { changed { $0.extra = members } }

    package func with(header name: String, _ value: String) -> Refusal { changed { $0.headers.append((name, value)) } }

    /// The same with `Retry-After`.
    package func retry(afterSeconds seconds: Int) -> Refusal { with(header: "Retry-After", "\(seconds)") }

    private func changed(_ change: (inout Refusal) -> Void) -> Refusal {
        var refusal = self
        change(&refusal)
        return refusal
    }
}

/// Equal if status, code, field and text are equal; headers and further members are ignored.
extension Refusal: Equatable, CustomStringConvertible {
    package static func == (a: Refusal, b: Refusal) -> Bool {
        (a.status, a.code, a.field) == (b.status, b.code, b.field) && a.detail == b.detail
    }

    package var description: String { "\(status.code) \(code)" + (field.map { " (\($0))" } ?? "") }
}

/// The refusals of a feature, a property each. They are found by reflection, so that a list beside them cannot lack
/// one.
package protocol Refusals: Sendable {}

extension Refusals {
    package var all: [Refusal] { Mirror(reflecting: self).children.compactMap { $0.value as? Refusal } }

    /// What each constraint means here. Made anew each time: keep it where many are looked up.
    package var byConstraint: [String: Refusal] {
        let pairs = all.flatMap { refusal in refusal.constraints.map { ($0, refusal) } }
        return Dictionary(pairs) { _, second in preconditionFailure("one constraint means two refusals: \(second)") }
    }

    /// Runs `body` and turns violations of known constraints into refusals; `names` maps the refusal's field to the
    /// request's.
    package func mapConstraints<T: Sendable>(
        renaming names: [String: String] = [:], _ body: @Sendable () async throws -> T
    ) async throws -> T {
        do {
            return try await body()
        } catch let error as PostgresError {
            guard let constraint = error.constraint, let refusal = byConstraint[constraint] else { throw error }
            throw refusal.renaming(names)
        }
    }
}
