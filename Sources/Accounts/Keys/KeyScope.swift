/// What a key for another program may do.
package enum KeyScope: String, Sendable, CaseIterable {
    /// Read the owner's own data, and what all members see of their groups and of the boards.
    case read
    /// Record, change and delete study, import it, and manage subjects, projects and tasks.
    case record

    /// The scope that a key needs for an operation such as `GET /api/v1/me`; nil for all that keys may not do.
    static func needed(for operation: String) -> KeyScope? { allowed[operation] }

    /// Every operation that is open to keys. What is not here is for people who are signed in.
    package static let allowed: [String: KeyScope] = {
        let reading = reads.map { ("GET /api/v1\($0)", KeyScope.read) }
        let recording = records.map { ("\($0.method) /api/v1\($0.path)", KeyScope.record) }
        return Dictionary(uniqueKeysWithValues: reading + recording)
    }()

    private static let reads = [
        "/me", "/me/timer", "/me/today", "/me/days", "/me/days/{day}/strip", "/me/rhythm", "/me/totals", "/me/plans",
        "/me/alarm", "/me/standings",
        "/me/sessions", "/me/sessions/unconfirmed", "/me/sessions/{id}", "/me/sessions/{id}/history",
        "/me/sessions.csv", "/me/sessions.json", "/me/intervals.csv",
        "/me/subjects", "/me/subjects/{id}", "/me/projects", "/me/projects/{id}", "/me/tasks", "/me/tasks/{id}",
        "/groups", "/groups/{id}", "/groups/{id}/members", "/groups/{id}/members/{uid}",
        "/groups/{id}/members/{uid}/days", "/groups/{id}/today", "/groups/{id}/days",
        "/groups/{id}/leaderboard", "/groups/{id}/leaderboard/stream", "/groups/{id}/leaderboard/explanation",
        "/groups/{id}/leaderboard.csv", "/groups/{id}/standings", "/groups/{id}/standings/{month}",
        "/groups/{id}/standings/{month}/podium.svg", "/groups/{id}/hall-of-fame",
        "/leaderboard", "/leaderboard/stream", "/leaderboard/explanation", "/leaderboard/groups",
        "/users/{uid}/avatar",
    ]

    private static let records = [
        ("POST", "/me/timer/start"), ("POST", "/me/timer/pause"), ("POST", "/me/timer/resume"),
        ("POST", "/me/timer/stop"), ("POST", "/me/timer/cancel"), ("PATCH", "/me/timer"),
        ("POST", "/me/sessions"), ("POST", "/me/sessions/batch"), ("PATCH", "/me/sessions/{id}"),
        ("DELETE", "/me/sessions/{id}"), ("PUT", "/me/sessions/{id}/end"), ("POST", "/me/imports"),
        ("POST", "/me/subjects"), ("PATCH", "/me/subjects/{id}"), ("DELETE", "/me/subjects/{id}"),
        ("POST", "/me/projects"), ("PATCH", "/me/projects/{id}"), ("DELETE", "/me/projects/{id}"),
        ("POST", "/me/tasks"), ("PATCH", "/me/tasks/{id}"), ("DELETE", "/me/tasks/{id}"),
    ].map { (method: $0, path: $1) }
}
