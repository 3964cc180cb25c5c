import HTTP

extension Config.Listen {
    /// `address:port`, an IPv6 address in brackets; port 0 lets the system choose.
    init(_ text: String, _ variable: String = "ANTHILL_LISTEN") throws(Config.Refusal) {
        guard let match = text.wholeMatch(of: /(?:\[([0-9a-fA-F:]+)\]|([0-9.]+)|localhost):([0-9]{1,5})/),
            let port = UInt16(match.3)
        else {
            throw Config.Refusal(
                variable: variable, reason: "must be address:port, such as 127.0.0.1:8080 or [::]:8080")
        }
        self.init(host: String(match.1 ?? match.2 ?? "127.0.0.1"), port: port)
    }

    /// The address with the port that the system chose.
    func place(_ port: Int) -> String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}

extension Server {
    /// Begins to listen. Throws the name of the variable that said where, if that place cannot be had.
    func start(_ variable: String) throws {
        do { try start() } catch let error as ListenError {
            throw Config.Refusal(variable: variable, reason: "cannot be used: \(error)")
        }
    }
}
