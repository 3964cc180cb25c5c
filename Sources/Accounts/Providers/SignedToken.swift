import API
internal import CJose
import Foundation
import HTTP

/// A JSON web token in the compact form (RFC 7515), taken apart but not yet believed.
struct SignedToken: Sendable {
    /// The signatures that count. All need the provider's private key; `none` and HS256 do not.
    enum Algorithm: String, Sendable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    private static let mostBytes = 16 * 1024

    let algorithm: Algorithm
    /// Which of the provider's keys signed it, if it says so.
    let keyID: String?
    /// To be read only once ``isSigned(by:)`` holds.
    let claims: [String: JSON]
    private let parts: [Substring]

    /// nil for anything but three parts of base64url, a header and claims that are JSON objects without repeated names,
    /// and an algorithm that counts. Keys that the header brings along or points to are never looked at; what it
    /// declares critical would have to be understood, so it is refused.
    init?(_ text: String) {
        guard text.utf8.count <= Self.mostBytes else { return nil }
        parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            bytes(base64url: parts[2])?.isEmpty == false,
            case .string(let name)? = header["alg"], let algorithm = Algorithm(rawValue: name), header["crit"] == nil
        else { return nil }
        switch header["kid"] {
        case nil: keyID = nil
        case .string(let text): keyID = text
        default: return nil
        }
        self.algorithm = algorithm
        self.claims = claims
    }

    func isSigned(by key: ProviderKey) -> Bool {
        guard key.algorithm == algorithm else { return false }
        let token = #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#
        return anthill_jose_verifies(token, key.jwk)
    }

    private static func object(_ part: Substring) -> [String: JSON]? {
        guard let bytes = bytes(base64url: part), case .object(let members)? = JSON(text: bytes) else { return nil }
        return members
    }
}

/// A key by which a provider's tokens are verified.
struct ProviderKey: Sendable {
    let id: String?
    let algorithm: SignedToken.Algorithm
    /// Its public members alone.
    let jwk: String

    /// nil for a key that our two algorithms cannot use.
    init?(_ key: JSON) {
        guard case .object(let members) = key else { return nil }
        func text(_ name: String) -> String? { if case .string(let text)? = members[name] { text } else { nil } }
        guard text("use") ?? "sig" == "sig" else { return nil }
        switch (text("kty"), text("crv")) {
        case ("RSA", _): algorithm = .rs256
        case ("EC", "P-256"): algorithm = .es256
        default: return nil
        }
        guard text("alg") ?? algorithm.rawValue == algorithm.rawValue else { return nil }
        let names = algorithm == .rs256 ? ["kty", "n", "e"] : ["kty", "crv", "x", "y"]
        let parts = Dictionary(uniqueKeysWithValues: names.compactMap { name in text(name).map { (name, $0) } })
        guard parts.count == names.count, let bytes = try? JSON.bytes(parts) else { return nil }
        id = text("kid")
        jwk = String(decoding: bytes, as: UTF8.self)
    }

    /// The keys of a JWK set (RFC 7517) that we can use; nil when it is none.
    static func all(in document: [UInt8]) -> [ProviderKey]? {
        guard case .object(let members)? = JSON(text: document), case .array(let keys)? = members["keys"] else {
            return nil
        }
        return keys.compactMap(ProviderKey.init)
    }
}

/// A private key of the curve P-256, which signs tokens.
package struct SigningKey: Sendable {
    private let jwk: String

    /// Reads PKCS#8 or SEC1 in PEM; nil when there is no such key in it.
    init?(pem: String) {
        guard let text = anthill_jose_read_pem(pem) else { return nil }
        defer { free(text) }
        jwk = String(cString: text)
        guard case .object(let members)? = JSON(text: Array(jwk.utf8)), members["crv"] == .string("P-256"),
            members["d"] != nil
        else { return nil }
    }

    /// The key itself, and the point of the curve that is its public one.
    package init(secret: [UInt8], point: [UInt8]) {
        let (x, y) = (base64url(Array(point[1..<33])), base64url(Array(point[33...])))
        jwk = #"{"kty":"EC","crv":"P-256","d":"\#(base64url(secret))","x":"\#(x)","y":"\#(y)"}"#
    }

    /// A token with these claims, signed with ES256. `further` goes into its header beside the algorithm. nil if the
    /// key does not sign.
    package func token(header further: [String: String], claims: [String: JSON]) -> String? {
        let members = further.merging(["alg": "ES256"]) { first, _ in first }
        guard let header = try? JSON.bytes(members), let payload = try? JSON.bytes(claims),
            let signed = anthill_jose_sign(base64url(header), base64url(payload), jwk)
        else { return nil }
        defer { free(signed) }
        guard case .object(let members)? = JSON(text: Array(String(cString: signed).utf8)),
            case .string(let signature)? = members["signature"]
        else { return nil }
        return [base64url(header), base64url(payload), signature].joined(separator: ".")
    }
}
