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

extension Feature {
    package var chores: [Chore] { [] }
    package var letters: [MailKind: Composer] { [:] }
}
