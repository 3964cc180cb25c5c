extension WireCase {
    /// The ways of hiding a `Transfer-Encoding` from one of two readers that the public corpora collect (PortSwigger's
    /// HTTP Request Smuggler, the CL.TE and TE.CL lists of RFC 9112, 11.2). Each comes with a length, so that a reader
    /// who overlooks it takes the body for something else.
    static let smuggling = hidingPlaces.map { name, field in
        WireCase(
            "smuggling: \(name)",
            "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\(field)\r\n\r\n0\r\n\r\nGET /hello HTTP/1.1\r\nX: ",
            closed: 400)
    }

    private static let hidingPlaces: [(String, String)] = [
        ("vanilla", "Transfer-Encoding: chunked"),
        ("capitals", "TRANSFER-ENCODING: CHUNKED"),
        ("space after the name", "Transfer-Encoding : chunked"),
        ("tab after the name", "Transfer-Encoding\t: chunked"),
        ("vertical tab after the name", "Transfer-Encoding\u{0B}: chunked"),
        ("tab before the value", "Transfer-Encoding:\tchunked"),
        ("vertical tab before the value", "Transfer-Encoding:\u{0B}chunked"),
        ("form feed before the value", "Transfer-Encoding:\u{0C}chunked"),
        ("no space", "Transfer-Encoding:chunked"),
        ("folded name", "Transfer-Encoding\r\n : chunked"),
        ("folded value", "Transfer-Encoding:\r\n chunked"),
        ("line before it folded", "X: y\r\n Transfer-Encoding: chunked"),
        ("bare LF before it", "X: y\nTransfer-Encoding: chunked"),
        ("bare CR before it", "X: y\rTransfer-Encoding: chunked"),
        ("LF CR before it", "X: y\n\rTransfer-Encoding: chunked"),
        ("NUL in it", "Transfer-Encoding: chunked\0"),
        ("control after it", "Transfer-Encoding: chunked\u{01}"),
        ("quoted", "Transfer-Encoding: \"chunked\""),
        ("single-quoted", "Transfer-Encoding: 'chunked'"),
        ("comma first", "Transfer-Encoding: , chunked"),
        ("comma last", "Transfer-Encoding: chunked,"),
        ("with identity", "Transfer-Encoding: chunked, identity"),
        ("after identity", "Transfer-Encoding: identity, chunked"),
        ("identity alone", "Transfer-Encoding: identity"),
        ("twice, the second unknown", "Transfer-Encoding: chunked\r\nTransfer-Encoding: cow"),
        ("twice, the first unknown", "Transfer-Encoding: cow\r\nTransfer-Encoding: chunked"),
        ("with a parameter", "Transfer-Encoding: chunked;a=b"),
        ("prefix", "Transfer-Encoding: chunkedx"),
        ("in quotes as a name", "\"Transfer-Encoding\": chunked"),
        ("BOM before the name", "\u{FEFF}Transfer-Encoding: chunked"),
        ("no-break space after the value", "Transfer-Encoding: chunked\u{A0}"),
        ("two colons", "Transfer-Encoding:: chunked"),
        ("no value", "Transfer-Encoding:"),
        ("second length", "Content-Length: 6"),
        ("second length, signed", "Content-Length: +6"),
        ("space before the second length", "Content-Length : 6"),
    ]
}
