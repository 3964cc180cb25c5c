internal import CCurl

/// Why a message was not sent: the server's refusal or, if the server said nothing, libcurl's words. It holds no
/// address.
package struct DeliveryError: Error, CustomStringConvertible {
    /// The server's last reply code, 0 where it said nothing.
    package let reply: Int
    package let description: String

    /// The server refused this very message for good (a reply 55x), and not all mail from us.
    package let isRefusal: Bool

    /// The server refused the address itself for good: there is no such mailbox.
    package let isBadAddress: Bool
}

extension DeliveryError {
    /// `said`: what the server said, where it was asked.
    init(_ result: CURLcode, reply: Int, said: SMTPConversation? = nil) {
        let words = "\(String(cString: curl_easy_strerror(result))) (\(result.rawValue))"
        description = said?.refusal.map { "refused: \($0)" } ?? (reply == 0 ? words : "\(words), after reply \(reply)")
        self.reply = reply
        // libcurl's names for a refused command, and for a refused message; 530 wants a log-in, which is our fault.
        let isAnswer = result == CURLE_SEND_ERROR || result == CURLE_WEIRD_SERVER_REPLY
        isRefusal = isAnswer && (550...559).contains(reply) && said?.isAboutMessage == true
        isBadAddress = isRefusal && said?.refusesAddress == true
    }
}
