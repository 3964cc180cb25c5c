import Foundation
import Testing

extension Trait where Self == DatabaseTrait {
    /// Gives each test case a migrated schema of its own as ``TestDatabase/current``, and drops it afterwards.
    package static var database: DatabaseTrait { DatabaseTrait() }
}

/// The trait behind `.database`.
package struct DatabaseTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> DatabaseTrait? { testCase == nil ? nil : self }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await function()
    }
}
