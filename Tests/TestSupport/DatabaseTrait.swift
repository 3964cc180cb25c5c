import Testing

extension Trait where Self == DatabaseTrait {
    /// Gives each test case a migrated database of its own as ``TestDatabase/current``, and drops it afterwards.
    package static var database: DatabaseTrait { DatabaseTrait() }
}

/// The trait behind `.database`.
package struct DatabaseTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> DatabaseTrait? { testCase == nil ? nil : self }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite and a test of it may both have the trait; one database is enough.
        guard TestDatabase.running == nil else { return try await function() }
        try await TestCluster.shared.get().withDatabase { database in
            try await TestDatabase.$running.withValue(database, operation: function)
        }
    }
}
