import API
import HTTP
import Pictures
import Postgres
import Reactor

/// A person's picture.
struct AvatarRoutes: Sendable {
    let gate: Gate
    let avatars: AvatarStore
    let limits: LimitsStore
    let pictures: PictureMaker

    var routes: [Endpoint] {
        [
            gate.user(
                .put, "/api/v1/me/avatar", maxBody: RuleNumber.mostPictureMegabytes.value << 20, change),
            gate.user(.delete, "/api/v1/me/avatar", remove),
            gate.user(.get, "/api/v1/users/{uid}/avatar", query: ["v"], show),
        ]
    }

    private func change(_ request: Request, _ caller: Caller) async throws -> Response {
        guard Self.isPicture(request.headers["Content-Type"]) else { throw Refusal.avatars.notAPicture }
        try await limits.countPicture(of: caller.uid)
        let audit = AuditEvent(.pictureChanged, of: caller.uid, by: caller.uid, request)
        let version = try await avatars.keep(square(request.body), of: caller.uid, audit)
        return try .json(["avatar_url": AvatarURL(of: caller.uid, version: version)])
    }

    private func remove(_ request: Request, _ caller: Caller) async throws -> Response {
        try await avatars.remove(of: caller.uid, AuditEvent(.pictureRemoved, of: caller.uid, by: caller.uid, request))
        return .noContent
    }

    /// The current picture, whatever version the address names. Browsers keep it for ever only under its own version.
    private func show(_ request: Request, _ caller: Caller) async throws -> Response {
        guard let avatar = try await avatars.find(request.uuid("uid"), for: caller.uid) else { throw Problem.notFound }
        var response = Response(headers: ["Content-Type": "image/webp"], body: .bytes(avatar.webp))
        if request.query["v"] == avatar.version.description {
            response.headers.add("Cache-Control", "private, max-age=31536000, immutable")
        }
        return response
    }

    private func square(_ file: [UInt8]) async throws -> [UInt8] {
        let bounds = PictureMaker.Bounds(
            side: RuleNumber.avatarSide.value, mostPixels: RuleNumber.mostPictureMegapixels.value * 1_000_000,
            mostBytes: RuleNumber.mostAvatarBytes.value)
        do {
            guard case .picture(let webp) = try await pictures.square(file, bounds) else {
                throw Refusal.avatars.invalidPicture
            }
            return webp
        } catch is WorkerPool.Overloaded {
            throw Refusal.accounts.busy
        }
    }

    private static func isPicture(_ type: String?) -> Bool {
        ["image/png", "image/jpeg", "image/webp"].contains(type?.lowercased())
    }
}
