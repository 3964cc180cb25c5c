internal import CCrypto

/// Text that only one browser can read (RFC 8291, in the form of RFC 8188: one record of `aes128gcm`).
package enum SealedPush {
    /// Push services must accept 4096 bytes, of which the encryption takes 103.
    static let mostBytes = 4096 - 103

    /// `device` and `authentication` are the browser's public key and its secret. nil when they are none.
    package static func seal(
        _ text: [UInt8], for device: [UInt8], _ authentication: [UInt8], by key: P256Key = .random(),
        salt: [UInt8] = randomBytes(16)
    ) -> [UInt8]? {
        guard text.count <= mostBytes, let shared = key.shared(with: device) else { return nil }
        let input = derive(32, authentication, shared, Array("WebPush: info\0".utf8) + device + key.point)
        let encryption = derive(16, salt, input, Array("Content-Encoding: aes128gcm\0".utf8))
        let nonce = derive(12, salt, input, Array("Content-Encoding: nonce\0".utf8))
        // The 2 says that this is the last record.
        let record = text + [2]
        var sealed = [UInt8](repeating: 0, count: record.count + 16)
        let isDone = anthill_aes_gcm_seal(encryption, nonce, record, Int32(record.count), &sealed)
        precondition(isDone, "libcrypto does not encrypt")
        let recordSize = withUnsafeBytes(of: UInt32(4096).bigEndian) { Array($0) }
        return salt + recordSize + [UInt8(key.point.count)] + key.point + sealed
    }

    private static func derive(_ count: Int, _ salt: [UInt8], _ secret: [UInt8], _ info: [UInt8]) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: count)
        let isDone = anthill_hkdf(salt, salt.count, secret, secret.count, info, info.count, &key, count)
        precondition(isDone, "libcrypto does not derive keys")
        return key
    }
}
