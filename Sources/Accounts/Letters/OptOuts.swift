import API
internal import CSodium
import Foundation
import Postgres

/// Links that turn off one kind of mail for one person, without a sign-in and as often as they are opened. Each is
/// signed, so nothing is stored, and only the person who got the mail has it.
package struct OptOuts: Sendable {
    private let secret: Secret
    private let baseURL: String

    package init(secret: Secret, baseURL: String) {
        self.secret = secret
        self.baseURL = baseURL
    }

    package func link(_ kind: Switch, of uid: ID) -> String {
        "\(baseURL)/unsubscribe/\(kind.rawValue)/\(base64url(Self.bytes(uid) + mac(kind, uid)))"
    }

    /// The user whom this link belongs to; nil if the link is invalid.
    func owner(_ kind: Switch, _ text: String) -> ID? {
        guard let shown = API.bytes(base64url: text, count: 16 + 32) else { return nil }
        let uid = ID(bytes: shown.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
        let mac = mac(kind, uid)
        return sodium_memcmp(mac, Array(shown.dropFirst(16)), mac.count) == 0 ? uid : nil
    }

    private func mac(_ kind: Switch, _ uid: ID) -> [UInt8] {
        secret.mac(.optOut, Self.bytes(uid) + Array(kind.rawValue.utf8))
    }

    private static func bytes(_ uid: ID) -> [UInt8] { withUnsafeBytes(of: uid.bytes, Array.init) }
}
