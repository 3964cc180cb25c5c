import API
import Postgres
import Synchronization
import Testing

@testable import Accounts

@Suite struct RequestBudgetTests {
    private final class Clock: Sendable {
        private let time = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { time.withLock { $0 } }
        func advance(_ duration: Duration) { time.withLock { $0 += duration } }
    }

    @Test func `the 301st request within ten seconds waits for the rest of them`() throws {
        let clock = Clock()
        let budget = RequestBudget(Limits().apiRequests, now: { clock.now })
        let me = RequestBudget.Subject.signIn(ID())
        for _ in 0..<300 { try budget.spend(me) }
        clock.advance(.seconds(7))
        #expect(throws: Refusal.accounts.tooManyRequests.until(seconds: 3)) { try budget.spend(me) }
        clock.advance(.seconds(3))
        try budget.spend(me)
    }

    @Test func `a client that waits as long as it is told gets through`() throws {
        let clock = Clock()
        let budget = RequestBudget(.init(1, in: 10), now: { clock.now })
        let me = RequestBudget.Subject.signIn(ID())
        try budget.spend(me)
        clock.advance(.milliseconds(6001))
        #expect(throws: Refusal.accounts.tooManyRequests.until(seconds: 4)) { try budget.spend(me) }
        clock.advance(.seconds(4))
        try budget.spend(me)
    }

    @Test func `however many addresses ask, they fill no memory and none gets more than one may`() throws {
        let clock = Clock()
        let budget = RequestBudget(.init(3, in: 10), most: 2, now: { clock.now })
        try budget.spend(.client("192.0.2.1"))
        try budget.spend(.client("192.0.2.2"))
        var passed = 0
        for index in 0..<100_000 {
            do {
                try budget.spend(.client("2001:db8:0:\(index)::/64"))
                passed += 1
            } catch is Refusal {}
        }
        // Those who are late share 1,024 counts of three.
        #expect(passed == 3 * 1024)
        // Those who were there before keep their own.
        for _ in 0..<2 { try budget.spend(.client("192.0.2.1")) }
        #expect(throws: Refusal.self) { try budget.spend(.client("192.0.2.1")) }
        clock.advance(.seconds(10))
        try budget.spend(.client("2001:db8:0:9::/64"))
    }

    @Test func `a look at the budget spends nothing, and is refused when the next request would be`() throws {
        let budget = RequestBudget(.init(2, in: 10), most: 1, now: { [now = ContinuousClock.now] in now })
        // The second one shares its count with others.
        for subject in [RequestBudget.Subject.client("192.0.2.1"), .client("192.0.2.2")] {
            try budget.spend(subject)
            for _ in 0..<5 { try budget.check(subject) }
            try budget.spend(subject)
            #expect(throws: Refusal.accounts.tooManyRequests.until(seconds: 10)) { try budget.check(subject) }
        }
    }

    @Test func `what one spends costs another nothing`() throws {
        let budget = RequestBudget(.init(1, in: 10), now: { .now })
        try budget.spend(.client("192.0.2.1"))
        try budget.spend(.client("192.0.2.2"))
        try budget.spend(.signIn(ID()))
        #expect(throws: Refusal.self) { try budget.spend(.client("192.0.2.1")) }
    }
}
