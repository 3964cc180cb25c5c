import Study
import Testing

@Suite struct GrowthTests {
    @Test(
        arguments: [
            (0, .seed), (12_059, .seed), (12_060, .sprout), (24_659, .sprout), (24_660, .apple),
            (30_719, .apple), (30_720, .tree), (86_400, .tree),
        ] as [(Int, Growth)])
    func `whole minutes decide what grows`(seconds: Int, growth: Growth) {
        #expect(Growth(seconds: seconds) == growth)
    }
}
