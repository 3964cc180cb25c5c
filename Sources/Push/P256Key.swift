internal import CCrypto

/// A private key of the curve P-256 with its public one.
package struct P256Key: Sendable {
    /// 32 bytes.
    package let secret: [UInt8]
    /// 65 bytes: the point of the curve, uncompressed.
    package let point: [UInt8]

    /// nil for a number that is no private key; of all numbers of 32 bytes that is one in 2³².
    package init?(secret: [UInt8]) {
        var point = [UInt8](repeating: 0, count: 65)
        guard secret.count == 32, anthill_p256_public(secret, &point) else { return nil }
        self.secret = secret
        self.point = point
    }

    package static func random() -> P256Key {
        while true { if let key = P256Key(secret: randomBytes(32)) { return key } }
    }

    static func isPoint(_ bytes: [UInt8]) -> Bool { bytes.count == 65 && anthill_p256_is_public(bytes) }

    /// What the owner of that public key knows as well; nil when it is none.
    func shared(with point: [UInt8]) -> [UInt8]? {
        var shared = [UInt8](repeating: 0, count: 32)
        guard point.count == 65, anthill_p256_shared(secret, self.point, point, &shared) else { return nil }
        return shared
    }
}

package func randomBytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }
