import Testing

@testable import AnthillServer

@Suite struct ScriptLinkerTests {
    private let modules = [
        "js/a/one.js": """
        import { two, three as third } from "../b/two.js";

        // A comment goes,
        /** and another. */
        /**
         * And a long one.
         */
        const own = 1; // Not this one.
        export const one = () => two + third + own;
        export async function more() {}
        export class Ant {}

        """,
        "js/b/two.js": """
        import {
          four,
        } from "./four.js";

        export const two = four;
        export function three() {}

        """,
        "js/b/four.js": "export const four = 4;\n",
        "js/b/all.js": "import { two } from \"./two.js\";\nexport { two } from \"./two.js\";\nconst mine = two;\n",
        "js/words/i18n.js": "export const words = (await import(`./${language}.js`)).words;\n",
        "js/words/ko.js": "export const words = {};\n",
        "pages/home.js":
            "import { one } from \"../js/a/one.js\";\nimport { memberPage } from \"../js/words/ko.js\";\n\nawait one();\n",
        "js/x.js": "import { y } from \"./y.js\";\n",
        "js/y.js": "import { x } from \"./x.js\";\n",
    ]

    private func linker(_ more: [String: String] = [:]) -> ScriptLinker {
        let all = modules.merging(more) { $1 }
        return ScriptLinker(language: "ko") { all[$0] ?? "" }
    }

    @Test func `a module comes after those that it imports`() throws {
        var linker = linker()
        #expect(
            try linker.graph(of: "pages/home.js")
                == ["js/b/four.js", "js/b/two.js", "js/a/one.js", "js/words/ko.js", "pages/home.js"])
    }

    @Test func `a module becomes a function with its own lines, without comments`() throws {
        var linker = linker()
        #expect(
            try linker.script(of: ["js/a/one.js"], isFirst: true) == """
                "use strict";
                const anthill = {};
                // js/a/one.js
                anthill["js/a/one.js"] = (() => {
                const { two, three: third } = anthill["js/b/two.js"];

                const own = 1; // Not this one.
                const one = () => two + third + own;
                async function more() {}
                class Ant {}
                return { one, more, Ant };
                })();

                """)
    }

    @Test func `what a module passes on is its own too`() throws {
        var linker = linker()
        let script = try linker.script(of: ["js/b/all.js"])
        #expect(script.contains("const { two } = anthill[\"js/b/two.js\"];\nconst mine = two;\n"))
        #expect(script.contains("return { two: anthill[\"js/b/two.js\"].two };\n"))
    }

    @Test func `the words are those of the script's language`() throws {
        var linker = linker()
        #expect(try linker.graph(of: "js/words/i18n.js") == ["js/words/ko.js", "js/words/i18n.js"])
        #expect(
            try linker.script(of: ["js/words/i18n.js"]).contains("const words = (anthill[\"js/words/ko.js\"]).words;\n")
        )
    }

    @Test func `a page may wait, and is for members when it builds their page`() throws {
        var linker = linker(["pages/help.js": "import { publicPage } from \"../js/a/one.js\";\n"])
        #expect(try linker.script(of: ["pages/home.js"]).hasSuffix("\nawait one();\n})();\n"))
        #expect(try linker.script(of: ["pages/home.js"]).contains("// pages/home.js\n(async () => {\n"))
        #expect(try linker.isForMembers("pages/home.js"))
        #expect(try !linker.isForMembers("pages/help.js"))
    }

    @Test(arguments: [
        "import ants from \"./ants.js\";", "import \"./ants.js\";", "import * as ants from \"./ants.js\";",
        "export default 1;", "export const { a } = b;", "export * from \"./ants.js\";",
        "export { a as b } from \"./ants.js\";", "export let a = 1;",
    ])
    func `a form that is not known is an error at start`(_ line: String) {
        var linker = linker(["js/new.js": line + "\n"])
        #expect(throws: ScriptModule.Unreadable.self) { try linker.graph(of: "js/new.js") }
    }

    @Test func `modules that import each other are an error at start`() {
        var linker = linker()
        #expect(throws: ScriptModule.Unreadable.self) { try linker.graph(of: "js/x.js") }
    }
}
