import HTTP
import Postgres
import Time

extension Request {
    /// The API's answers to the sender of this request at these paths, without failures. Paths that need no other
    /// answer are asked at once, the others after that.
    func answers(to paths: [String], by api: Router) async -> [String: [UInt8]] {
        let id = parameters["id"].flatMap(ID.init)?.description
        var answers = await answers(at: paths.compactMap { $0.filled(["id": id]) }, by: api)
        let today = answers["/me/today"].flatMap(JSON.init(text:))?["day"]?.string.flatMap(Day.init(iso:))
        let monday = today.map { $0.adding(days: 1 - $0.weekday) }
        let board = Page.board.filled(["id": id]).flatMap { answers[$0] }.flatMap(JSON.init(text:))
        let known = [
            "id": id, "shown": shownGroup(answers["/groups"]), "today": today?.description,
            "month": board?["at"]?.string,
            "earlier": monday?.month == today?.month ? nil : monday?.monthText,
        ]
        let rest = paths.filter { $0.filled(["id": id]) == nil }.compactMap { $0.filled(known) }
        answers.merge(await self.answers(at: rest, by: api)) { $1 }
        return answers
    }

    /// The group on home: the one opened last in this browser, else the first.
    private func shownGroup(_ groups: [UInt8]?) -> String? {
        guard case .array(let items)? = groups.flatMap(JSON.init(text:))?["items"] else { return nil }
        let ids = items.compactMap { $0["id"]?.string }
        return ids.first { $0 == cookie("group") } ?? ids.first
    }

    private func answers(at paths: [String], by api: Router) async -> [String: [UInt8]] {
        await withTaskGroup { group in
            for path in paths {
                group.addTask { (path, await answer(to: "/api/v1\(path)", by: api)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private func answer(to target: String, by api: Router) async -> [UInt8]? {
        let response = await response(to: target, by: api)
        return response?.status == .ok ? response?.body.content : nil
    }

    /// What the API answers the sender of this request at that path; nil for what is none.
    func response(to target: String, by api: Router) async -> Response? {
        guard let target = Target(target) else { return nil }
        var headers = headers
        headers.remove("If-None-Match")
        let asked = Request(
            .get, target, headers: headers, client: client, peerIsLoopback: peerIsLoopback, id: id, trace: trace)
        return await api.respond(to: asked)
    }
}

extension JSON {
    fileprivate subscript(_ name: String) -> JSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}

extension String {
    /// The path with each `{name}` replaced; nil when one of them is not known.
    fileprivate func filled(_ values: [String: String?]) -> String? {
        let text = values.reduce(self) { text, value in
            value.value.map { text.replacing("{\(value.key)}", with: $0) } ?? text
        }
        return text.contains("{") ? nil : text
    }
}
