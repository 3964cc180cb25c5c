import Reactor

// Downloads: an answer whose next piece is made when the one before has left.
extension Connection {
    /// A download under way.
    struct Transfer {
        let download: Download
        let framing: Outbox.Framing
        var isWaiting = false
    }

    func begin(_ download: Download, _ framing: Outbox.Framing) {
        phase = .downloading
        self.download = Transfer(download: download, framing: framing)
        sendNextPiece()
    }

    func sendNextPiece() {
        guard case .downloading = phase, let transfer = download, !transfer.isWaiting, outbox.isEmpty else { return }
        download?.isWaiting = true
        Task(executorPreference: worker.loop) { [self] in
            let piece: [UInt8]?
            do {
                piece = try await transfer.download.next()
            } catch {
                // Without the last chunk the client knows that something is missing.
                return close()
            }
            assert(worker.loop.isCurrent)
            guard case .downloading = phase else { return }
            download?.isWaiting = false
            if let piece { send(piece, transfer.framing) } else { endDownload(transfer.framing) }
        }
    }

    private func send(_ piece: [UInt8], _ framing: Outbox.Framing) {
        precondition(!piece.isEmpty, "an empty chunk would be the last")
        if framing.isHTTP11 {
            outbox.append(body: Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8))
        } else {
            outbox.append(body: piece)
        }
        worker.flushSoon(self)
    }

    private func endDownload(_ framing: Outbox.Framing) {
        if framing.isHTTP11 { outbox.append("0\r\n\r\n") }
        download = nil
        worker.flushSoon(self)
        phase = framing.keepsAlive && !worker.isLeaving ? .idle : .finishing
        if case .idle = phase { goOn() }
    }
}
