import HTTP
import Study
import TestSupport
import Testing

@Suite(.database) struct RhythmTests {
    @Test func `study falls into weekdays of the study day and hours of the local day`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        // Friday 23:30 to Saturday 05:30: Friday's study day but for the last half hour.
        _ = await me.log("2026-11-20T14:30:00Z", "2026-11-20T20:30:00Z")
        let rhythm = await me.get("/me/rhythm").json
        #expect(rhythm["from"] == "2026-10-25")
        #expect(rhythm["to"] == "2026-11-21")
        #expect(rhythm["weekdays"].array?.map { $0["weekday"].int } == Array(1...7))
        #expect(rhythm["weekdays"].array?.map { $0["seconds"].int } == [0, 0, 0, 0, 19800, 1800, 0])
        let hours = rhythm["hours"].array?.map { $0["seconds"].int }
        #expect(hours == [3600, 3600, 3600, 3600, 3600, 1800] + Array(repeating: 0, count: 17) + [1800])
        #expect(await me.get("/me/rhythm?to=2026-11-20").json["hours"][5]["seconds"] == 0)
        #expect(await me.get("/me/rhythm?from=2026-11-21").json["hours"][5]["seconds"] == 1800)
        #expect(await me.get("/me/rhythm?from=2026-11-21").json["hours"][23]["seconds"] == 0)
    }

    @Test func `an hour that comes twice holds both, one that is skipped nothing`() async throws {
        let me = try await student(at: "2026-11-02T00:00:00Z", timeZone: "America/New_York")
        try await me.bring("2026-11-01T04:00:00Z", hours: 4)  // 00:00 EDT to 03:00 EST
        let autumn = await me.get("/me/rhythm?from=2026-10-31&to=2026-11-01").json["hours"].array?.map {
            $0["seconds"].int
        }
        #expect(autumn?.prefix(4) == [3600, 7200, 3600, 0])
        try await me.bring("2026-03-08T06:00:00Z", hours: 2)  // 01:00 EST to 04:00 EDT
        let spring = await me.get("/me/rhythm?from=2026-03-07&to=2026-03-08").json["hours"].array?.map {
            $0["seconds"].int
        }
        #expect(spring?.prefix(5) == [0, 3600, 0, 3600, 0])
    }

    @Test func `an interval keeps the hours of the clock it was recorded under`() async throws {
        let me = try await student(at: "2026-11-21T03:00:00Z")
        _ = await me.log("2026-11-21T00:00:00Z", "2026-11-21T01:00:00Z")  // 09:00 in Seoul
        try await me.moveClock(to: "Asia/Kathmandu")
        _ = await me.log("2026-11-21T01:00:00Z", "2026-11-21T02:00:00Z")  // 06:45 in Kathmandu
        let hours = await me.get("/me/rhythm?from=2026-11-20&to=2026-11-21").json["hours"]
        #expect(hours[9]["seconds"] == 3600)
        #expect(hours[6]["seconds"] == 900)
        #expect(hours[7]["seconds"] == 2700)
    }
}
