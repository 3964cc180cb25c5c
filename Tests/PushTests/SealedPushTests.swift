import API
import Testing

@testable import Push

@Suite struct SealedPushTests {
    private func decoded(_ text: String) throws -> [UInt8] { try #require(bytes(base64url: text)) }

    @Test func `the example of RFC 8291 comes out byte by byte`() throws {
        let key = try #require(P256Key(secret: decoded("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")))
        #expect(
            base64url(key.point)
                == "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
        let sealed = SealedPush.seal(
            Array("When I grow up, I want to be a watermelon".utf8),
            for: try decoded("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
            try decoded("BTBZMqHH6r4Tts7J_aSIgg"), by: key, salt: try decoded("DGv6ra1nlYgDCS1FRnbzlw"))
        #expect(
            base64url(try #require(sealed))
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8w"
                + "EqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    }

    @Test func `no two are sealed alike`() throws {
        let device = P256Key.random().point
        let secret = randomBytes(16)
        let sealed = try (0..<20).map { _ in try #require(SealedPush.seal([1, 2, 3], for: device, secret)) }
        // The salt is in front, our key for this one push after 21 bytes.
        #expect(Set(sealed.map { $0[..<16] }).count == 20)
        #expect(Set(sealed.map { Array($0[21..<86]) }).count == 20)
    }

    @Test func `both owners of two keys share one secret`() throws {
        let (one, other) = (P256Key.random(), P256Key.random())
        #expect(one.shared(with: other.point) != nil)
        #expect(one.shared(with: other.point) == other.shared(with: one.point))
        #expect(one.shared(with: P256Key.random().point) != other.shared(with: one.point))
    }

    @Test func `what is no key is refused`() throws {
        let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
        let tooLarge = stride(from: 0, to: 64, by: 2).map { at in
            UInt8(order.dropFirst(at).prefix(2), radix: 16)!
        }
        #expect(P256Key(secret: tooLarge) == nil)
        #expect(P256Key(secret: tooLarge.dropLast() + [tooLarge[31] - 1]) != nil)
        #expect(P256Key(secret: [UInt8](repeating: 0, count: 32)) == nil)
        #expect(P256Key(secret: [1]) == nil)
        var point = P256Key.random().point
        #expect(P256Key.isPoint(point))
        // Beside the curve: an answer to it would give our key away.
        point[64] ^= 1
        #expect(!P256Key.isPoint(point))
        #expect(P256Key.random().shared(with: point) == nil)
        #expect(!P256Key.isPoint([UInt8](repeating: 0, count: 65)))
        #expect(!P256Key.isPoint([4]))
    }

    @Test func `what push services need not take is not sealed`() {
        let device = P256Key.random().point
        let most = SealedPush.seal([UInt8](repeating: 65, count: SealedPush.mostBytes), for: device, randomBytes(16))
        #expect(most?.count == 4096)
        #expect(
            SealedPush.seal([UInt8](repeating: 65, count: SealedPush.mostBytes + 1), for: device, randomBytes(16))
                == nil)
    }
}
