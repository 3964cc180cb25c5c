internal import CCurl
import Foundation
import HTTP
import Reactor

/// Asks other servers, on threads of its own: over TLS, without following redirects, and never for more or longer than it
/// says here.
package struct WebClient: Sendable {
    /// Why there was no answer: words of our own, never the server's.
    package struct Failure: Error, CustomStringConvertible {
        package enum Reason: Sendable {
            case unknownHost, connectionRefused, timedOut, noTLS, badCertificate, privateNetwork, other
        }

        package let reason: Reason
        package let description: String

        fileprivate init(_ reason: Reason = .other, words description: String) {
            self.reason = reason
            self.description = description
        }
    }

    package struct Answer: Sendable {
        package let status: Int
        package let body: [UInt8]
        /// The seconds of its `Retry-After`.
        package let retryAfter: Int?
    }

    /// Who says which servers are asked.
    package enum Source: Sendable {
        /// The operator, who may mean servers of their own network.
        case operators
        /// Anybody: only servers of the public network are asked, whatever their names lead to. `orThisMachine`: for a
        /// service that only this machine can reach.
        case anybody(orThisMachine: Bool)
    }

    private static let mostBytes = 256 * 1024
    private static let total = 10_000
    private static let connecting = 5_000
    /// The longest that one request takes, once a thread has begun it.
    package static let longest = Duration.milliseconds(total)

    private let threads: WorkerPool
    private let source: Source

    /// `threads`: how many servers may be asked at once.
    package init(threads: Int, source: Source) {
        self.threads = WorkerPool(threads: threads, queue: 64, patience: .seconds(5))
        self.source = source
    }

    package func get(_ url: String, bearer: String? = nil) async throws -> Answer {
        try await ask(
            url, headers: ["Accept: application/json"] + (bearer.map { ["Authorization: Bearer \($0)"] } ?? []))
    }

    /// Sends a form; `user` and `password` go into the head.
    package func post(
        _ url: String, form: [(name: String, value: String)], basic: (user: String, password: String)? = nil
    ) async throws -> Answer {
        let header = basic.map {
            let credentials = FormText.encode($0.user) + ":" + FormText.encode($0.password)
            return "Authorization: Basic \(Data(credentials.utf8).base64EncodedString())"
        }
        let headers = ["Accept: application/json"] + (header.map { [$0] } ?? [])
        return try await ask(url, headers: headers, body: Array(FormText.encode(form).utf8))
    }

    /// Of a long answer only the beginning is kept.
    package func post(_ url: String, headers: [String], body: [UInt8]) async throws -> Answer {
        try await ask(url, headers: headers, body: body, mayCut: true)
    }

    private func ask(
        _ url: String, headers: [String], body: [UInt8]? = nil, mayCut: Bool = false
    ) async throws -> Answer {
        guard hasGoodScheme(url), let url = Self.ascii(url) else { throw Failure(words: "the address is not https") }
        do {
            return try await threads.run { [source] in try Self.ask(url, headers, body, source, mayCut) }
        } catch is WorkerPool.Overloaded {
            throw Failure(words: "too many requests to other servers are waiting")
        }
    }

    /// Whether such an address is asked at all; where its name leads is seen when it is asked.
    package func mayAsk(_ url: String) -> Bool {
        let host = URLComponents(string: url)?.host?.trimmingCharacters(in: ["[", "]"]) ?? ""
        return hasGoodScheme(url) && (ClientAddress(host).map(source.admits) ?? true)
    }

    private func hasGoodScheme(_ url: String) -> Bool {
        switch source {
        case .operators, .anybody(orThisMachine: true): Self.isAllowed(url)
        case .anybody(orThisMachine: false): Self.isAllowed(url) && url.lowercased().hasPrefix("https:")
        }
    }

    /// The address as libcurl takes it: its host in Punycode, its path without blanks or other letters than ASCII.
    private static func ascii(_ url: String) -> String? { URLComponents(string: url)?.string }

    /// TLS everywhere but on this machine.
    package static func isAllowed(_ url: String) -> Bool {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty, parts.user == nil else {
            return false
        }
        return parts.scheme == "https" || parts.scheme == "http" && isLoopback(host)
    }

    /// Whether a host, as written in an address, is this machine.
    package static func isLoopback(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }

    private static func ask(
        _ url: String, _ headers: [String], _ body: [UInt8]?, _ source: Source, _ mayCut: Bool
    ) throws -> Answer {
        guard LibCurl.isReady, let handle = curl_easy_init() else { throw Failure(CURLE_OUT_OF_MEMORY) }
        defer { curl_easy_cleanup(handle) }
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for header in ["User-Agent: Anthill"] + headers { list = curl_slist_append(list, header) }
        let sink = Sink(most: mostBytes)
        let door = Door(source)
        return try withExtendedLifetime((sink, door)) {
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
            if let body {
                try check(anthill_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, body.count))
                try body.withUnsafeBytes { bytes in
                    let text = bytes.bindMemory(to: CChar.self).baseAddress
                    try check(anthill_curl_set_string(handle, CURLOPT_COPYPOSTFIELDS, text))
                }
            }
            try check(anthill_curl_set_writer(handle, write, Unmanaged.passUnretained(sink).toOpaque()))
            try check(anthill_curl_set_opener(handle, open, Unmanaged.passUnretained(door).toOpaque()))
            let result = curl_easy_perform(handle)
            // Of several addresses of a name one may be refused, and another one answer.
            if result != CURLE_OK, !(mayCut && sink.isFull) {
                guard door.hasRefused else { throw Failure(result) }
                throw Failure(.privateNetwork, words: "the address is not in the public network")
            }
            let wait = anthill_curl_get_retry_after(handle)
            return Answer(
                status: anthill_curl_get_long(handle, CURLINFO_RESPONSE_CODE), body: sink.bytes,
                retryAfter: wait > 0 ? wait : nil)
        }
    }

    private static func check(_ result: CURLcode) throws {
        guard result == CURLE_OK else { throw Failure(result) }
    }
}

extension WebClient.Failure {
    fileprivate init(_ result: CURLcode) {
        let reason: Reason =
            switch result {
            case CURLE_COULDNT_RESOLVE_HOST: .unknownHost
            case CURLE_COULDNT_CONNECT: .connectionRefused
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_SSL_CONNECT_ERROR: .noTLS
            case CURLE_PEER_FAILED_VERIFICATION: .badCertificate
            default: .other
            }
        self.init(reason, words: "\(String(cString: curl_easy_strerror(result))) (\(result.rawValue))")
    }
}

/// What has arrived.
private final class Sink {
    private let most: Int
    private(set) var bytes: [UInt8] = []
    /// Whether more came than is kept.
    private(set) var isFull = false

    init(most: Int) { self.most = most }

    /// How much of `piece` was taken; libcurl gives up when that is not all.
    func take(_ piece: UnsafeRawBufferPointer) -> Int {
        let part = piece.prefix(most - bytes.count)
        bytes.append(contentsOf: part)
        isFull = part.count < piece.count
        return part.count
    }
}

private let write: anthill_curl_writer = { piece, size, count, sink in
    guard let piece, let sink else { return 0 }
    return Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue().take(
        UnsafeRawBufferPointer(start: piece, count: size * count))
}

/// Checks each address that is really connected to, so that no host name can lead to a forbidden one.
private final class Door {
    private let source: WebClient.Source
    private(set) var hasRefused = false

    init(_ source: WebClient.Source) { self.source = source }

    func open(_ wanted: curl_sockaddr, _ address: ClientAddress?) -> curl_socket_t {
        guard let address, source.admits(address) else {
            hasRefused = true
            return CURL_SOCKET_BAD
        }
        hasRefused = false
        return socket(wanted.family, wanted.socktype | Int32(SOCK_CLOEXEC.rawValue), wanted.protocol)
    }
}

private let open: anthill_curl_opener = { door, _, wanted in
    guard let door, let wanted else { return CURL_SOCKET_BAD }
    // The address is longer than the type of this member says: IPv6 goes beyond it.
    let address = ClientAddress(socket: UnsafeRawPointer(wanted) + MemoryLayout<curl_sockaddr>.offset(of: \.addr)!)
    return Unmanaged<Door>.fromOpaque(door).takeUnretainedValue().open(wanted.pointee, address)
}
