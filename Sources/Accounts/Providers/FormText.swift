/// `application/x-www-form-urlencoded`, as the query of an address and the body of a form have it.
enum FormText {
    static func encode(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || "-._~".unicodeScalars.contains(scalar)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(Character(scalar)) : (byte < 16 ? "%0" : "%") + digits
        }.joined()
    }
}
