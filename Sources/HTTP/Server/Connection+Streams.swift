import Reactor

// Event streams: an answer that goes on until one side ends it.
extension Connection {
    func begin(_ stream: EventStream) {
        phase = .streaming(stream)
        let loop = worker.loop
        stream.attach { loop.execute { [weak self] in self?.pump() } }
        input = []
        watch(source.interest.union(.readable))
        pump()
        if worker.isStopping { stream.close() }
    }

    /// Sends what the stream has, once all before it has left.
    func pump() {
        guard case .streaming(let stream) = phase else { return }
        guard outbox.isEmpty else {
            if stream.isOverfull { close() }
            return
        }
        switch stream.take() {
        case .bytes(let bytes):
            outbox.append(bytes)
            worker.flushSoon(self)
        case .nothing: break
        case .end:
            stream.detach()
            finish()
        case .dropped: close()
        }
    }
}
