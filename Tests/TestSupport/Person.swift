import Accounts
import HTTP
import Postgres

/// A signed-in user of the running test's database, who asks a router under their own name.
package struct Person: Sendable {
    package let uid: ID
    package let nickname: String
    package let token: String
    private let client: Client

    /// Registers and signs in somebody whose study clock is `timeZone`, 05:00.
    package init(
        _ nickname: String, _ client: Client, timeZone: String = "Asia/Seoul"
    ) async throws {
        let database = TestDatabase.current.database
        uid = ID()
        self.nickname = nickname
        self.client = client
        _ = try await database.write([
            "INSERT INTO users (uid, nickname, password_hash) VALUES (\(uid), \(nickname), '-')",
            "UPDATE students SET time_zone = \(timeZone) WHERE uid = \(uid)",
        ])
        let signIn = NewSignIn(device: "test")
        token = signIn.token.text
        let signIns = SignInStore(database: database, secret: Self.secret)
        _ = try await signIns.begin(signIn, of: uid, by: .password(hash: "-"))
    }

    /// What the gate of a test must be made with for its tokens to be known.
    package static let secret = Secret("the secret of tests")

    /// Where links of its mails turn them off.
    package static let optOuts = OptOuts(secret: secret, baseURL: "https://anthill.example.org")

    /// A gate on the running test's database; it bears any number of requests unless a test says how many.
    package static func gate(mostRequests: Int = .max) -> Gate {
        var limits = Limits()
        limits.apiRequests.most = mostRequests
        return Gate(
            database: TestDatabase.current.service, secret: secret, baseURL: "http://localhost:8080", limits: limits)
    }

    /// `uid` as the API writes it.
    package var id: String { uid.description }

    package func get(_ target: String, headers: Headers = [:]) async -> Answer {
        await client.get("/api/v1" + target, bearer: token, headers: headers)
    }

    package func post(_ target: String, _ json: JSON? = nil, headers: Headers = [:]) async -> Answer {
        await client.post("/api/v1" + target, json: json, bearer: token, headers: headers)
    }

    package func post(_ target: String, text: String, headers: Headers) async -> Answer {
        await client.send(.post, "/api/v1" + target, text: text, bearer: token, headers: headers)
    }

    package func put(_ target: String, _ json: JSON? = nil) async -> Answer {
        await client.put("/api/v1" + target, json: json, bearer: token)
    }

    package func patch(_ target: String, _ json: JSON) async -> Answer {
        await client.patch("/api/v1" + target, json: json, bearer: token)
    }

    package func delete(_ target: String) async -> Answer { await client.delete("/api/v1" + target, bearer: token) }
}
