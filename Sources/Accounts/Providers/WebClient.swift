internal import CCurl
import Foundation
import Mail
import Reactor

/// Asks the servers of providers, on threads of its own: over TLS, without following redirects, and never for more or
/// longer than it says here.
struct WebClient: Sendable {
    /// Why there was no answer: words of our own, never the server's.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
    }

    private static let mostBytes = 256 * 1024
    private static let total = 10_000
    private static let connecting = 5_000

    private let threads: WorkerPool

    /// `threads`: how many servers may be asked at once.
    init(threads: Int) { self.threads = WorkerPool(threads: threads, queue: 64, patience: .seconds(5)) }

    func get(_ url: String, bearer: String? = nil) async throws -> Answer {
        try await run { try Self.ask(url, headers: bearer.map { ["Authorization: Bearer \($0)"] } ?? [], form: nil) }
    }

    /// Sends a form; `user` and `password` go into the head.
    func post(
        _ url: String, form: [(name: String, value: String)], basic: (user: String, password: String)? = nil
    ) async throws -> Answer {
        let header = basic.map {
            let credentials = FormText.encode($0.user) + ":" + FormText.encode($0.password)
            return "Authorization: Basic \(Data(credentials.utf8).base64EncodedString())"
        }
        return try await run { try Self.ask(url, headers: header.map { [$0] } ?? [], form: FormText.encode(form)) }
    }

    private func run(_ body: @escaping @Sendable () throws -> Answer) async throws -> Answer {
        do {
            return try await threads.run(body)
        } catch is WorkerPool.Overloaded {
            throw Failure(description: "too many requests to providers are waiting")
        }
    }

    /// TLS everywhere but on this machine.
    static func isAllowed(_ url: String) -> Bool {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty, parts.user == nil else {
            return false
        }
        return parts.scheme == "https" || parts.scheme == "http" && isLoopback(host)
    }

    private static func isLoopback(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }

    private static func ask(_ url: String, headers: [String], form: String?) throws -> Answer {
        guard isAllowed(url) else { throw Failure(description: "the address is not https") }
        guard LibCurl.isReady, let handle = curl_easy_init() else { throw Failure(CURLE_OUT_OF_MEMORY) }
        defer { curl_easy_cleanup(handle) }
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for header in ["Accept: application/json", "User-Agent: Anthill"] + headers {
            list = curl_slist_append(list, header)
        }
        let sink = Sink(most: mostBytes)
        return try withExtendedLifetime(sink) {
            try check(anthill_curl_set_string(handle, CURLOPT_URL, url))
            try check(anthill_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https"))
            try check(anthill_curl_set_string(handle, CURLOPT_PROXY, ""))
            try check(anthill_curl_set_list(handle, CURLOPT_HTTPHEADER, list))
            for (option, value) in [
                (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_TIMEOUT_MS, total),
                (CURLOPT_CONNECTTIMEOUT_MS, connecting), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
            ] {
                try check(anthill_curl_set_long(handle, option, value))
            }
            if let form { try check(anthill_curl_set_string(handle, CURLOPT_COPYPOSTFIELDS, form)) }
            try check(anthill_curl_set_writer(handle, write, Unmanaged.passUnretained(sink).toOpaque()))
            try check(curl_easy_perform(handle))
            return Answer(status: anthill_curl_get_long(handle, CURLINFO_RESPONSE_CODE), body: sink.bytes)
        }
    }

    private static func check(_ result: CURLcode) throws {
        guard result == CURLE_OK else { throw Failure(result) }
    }
}

extension WebClient.Failure {
    fileprivate init(_ result: CURLcode) {
        description = "\(String(cString: curl_easy_strerror(result))) (\(result.rawValue))"
    }
}

/// What has arrived.
private final class Sink {
    private let most: Int
    private(set) var bytes: [UInt8] = []

    init(most: Int) { self.most = most }

    /// How much of `piece` was taken; libcurl gives up when that is not all.
    func take(_ piece: UnsafeRawBufferPointer) -> Int {
        guard bytes.count + piece.count <= most else { return 0 }
        bytes.append(contentsOf: piece)
        return piece.count
    }
}

private let write: anthill_curl_writer = { piece, size, count, sink in
    guard let piece, let sink else { return 0 }
    return Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue().take(
        UnsafeRawBufferPointer(start: piece, count: size * count))
}
