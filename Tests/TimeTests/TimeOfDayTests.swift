import Foundation
import Testing
import Time

@Suite struct TimeOfDayTests {
    @Test(arguments: [("00:00", 0), ("05:30", 19_800), ("23:59", 86_340)])
    func `an hour and a minute are a time of day`(text: String, seconds: Int) {
        #expect(TimeOfDay(text)?.seconds == seconds)
        #expect(TimeOfDay(text)?.description == text)
        #expect(TimeOfDay(text)?.textToTheSecond == text + ":00")
    }

    @Test(arguments: ["", "5:00", "05:0", "05-00", "24:00", "05:60", "aa:bb", "05:000", "05:00:00", " 05:00", "٠٥:٠٠"])
    func `anything else is none`(text: String) { #expect(TimeOfDay(text) == nil) }

    @Test func `in JSON it is text, and a wrong text is an error`() throws {
        let json = Data(#"["04:30"]"#.utf8)
        let times = try JSONDecoder().decode([TimeOfDay].self, from: json)
        #expect(times == [TimeOfDay(seconds: 16_200)])
        #expect(try JSONEncoder().encode(times) == json)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([TimeOfDay].self, from: Data(#"["4:30"]"#.utf8))
        }
    }
}
