import Testing

@testable import AnthillServer

@Suite struct MetricsTextTests {
    @Test func `a family has its help, its type and a line for each sample`() {
        var page = MetricsText()
        page.begin("ants_total", .counter, "Ants seen.")
        page.add(["kind": "red", "place": "hill"], 3.0)
        page.add([:], 0.25)
        #expect(
            page.text == """
                # HELP ants_total Ants seen.
                # TYPE ants_total counter
                ants_total{kind="red",place="hill"} 3
                ants_total 0.25

                """)
    }

    @Test func `a histogram counts each bound with all that are below`() {
        var page = MetricsText()
        page.begin("walk_seconds", .histogram, "Walks.")
        page.add(["to": "seed"], bounds: [0.5, 2], slots: [1, 2, 4], sum: 12.5)
        #expect(
            page.text.split(separator: "\n").dropFirst(2) == [
                "walk_seconds_bucket{to=\"seed\",le=\"0.5\"} 1", "walk_seconds_bucket{to=\"seed\",le=\"2\"} 3",
                "walk_seconds_bucket{to=\"seed\",le=\"+Inf\"} 7", "walk_seconds_sum{to=\"seed\"} 12.5",
                "walk_seconds_count{to=\"seed\"} 7",
            ])
    }

    @Test func `no value of a label can end it or its line`() {
        var page = MetricsText()
        page.begin("a", .gauge, "b")
        page.add(["c": "\"d\"\\\n한"], 1.0)
        #expect(page.text.hasSuffix("a{c=\"\\\"d\\\"\\\\\\n한\"} 1\n"))
    }

    @Test func `the process tells what it takes`() {
        let figures = ProcessFigures()
        #expect((1 << 20...1 << 36).contains(figures.residentBytes))
        #expect(figures.processorSeconds > 0)
        #expect((3...figures.mostDescriptors).contains(figures.openDescriptors))
    }
}
