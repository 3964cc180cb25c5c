internal import CCurl
import Foundation

/// Initialises libcurl on first use; false if that failed.
package enum LibCurl {
    /// libcurl asks to be initialised once, before threads use it; and with `CURLOPT_NOSIGNAL`, that SIGPIPE is
    /// ignored.
    package static let isReady: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()
}
