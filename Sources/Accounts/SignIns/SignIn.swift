import Foundation
import HTTP
import Postgres
import Time

/// One signed-in device, as its owner sees it.
struct SignIn: Encodable, Sendable {
    let id: ID
    @OrNull var device: String?
    /// From where it was last seen, as limits count it.
    @OrNull var clientAddress: String?
    /// The name of the provider it came through; nil for a password.
    @OrNull var providerName: String?
    let createdAt: Instant
    let lastSeenAt: Instant
    let expiresAt: Instant
    let current: Bool
}

/// A sign-in that was just made: the only time its token is seen.
package struct NewSignIn: Sendable {
    let id: ID
    package let token: Token
    let device: String?
    let client: ClientAddress?
    /// The id of the provider it comes through; nil for a password.
    let provider: String?

    package init(device: String?, from client: ClientAddress? = nil, through provider: String? = nil) {
        id = .ordered(at: Date())
        token = Token()
        self.device = device
        self.client = client
        self.provider = provider
    }
}

/// How somebody has proved who they are.
package enum Proof: Sendable {
    /// A password, with the very hash that it was verified against.
    case password(hash: String)
    /// One of their identities at a provider, by its id.
    case identity(ID)
}

extension ID {
    /// Version 7: of two that were made in different milliseconds, the later sorts after the earlier.
    static func ordered(at date: Date) -> ID {
        var bytes = ID().bytes
        let milliseconds = UInt64(max(0, date.timeIntervalSince1970 * 1000))
        withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * index)) }
            bytes[6] = bytes[6] & 0x0F | 0x70
        }
        return ID(bytes: bytes)
    }
}
