import API
import Reactor

/// A part of the product, as the program takes it in.
package protocol Feature: Sendable {
    /// What it answers.
    var routes: [Endpoint] { get }
    /// What it has to do from time to time.
    var chores: [Chore] { get }
    /// What it says by mail, for each kind of mail that it asks for.
    var letters: [MailKind: Composer] { get }
}

extension [MailKind: Composer] {
    /// Both together. Each kind of mail has one composer.
    package func and(_ others: Self) -> Self {
        merging(others) { _, _ in preconditionFailure("two composers of one kind of mail") }
    }
}

extension Feature {
    package var chores: [Chore] { [] }
    package var letters: [MailKind: Composer] { [:] }
}
