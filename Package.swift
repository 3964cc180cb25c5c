// swift-tools-version: 6.2
import PackageDescription

// The architecture in one screen: a target may import what it names here and nothing else. All may import Time.
//
//   AnthillServer ─► Ranking ─┬─► Study ──┬─► Accounts ─► Mail ─► API ─┬─► HTTP ─────► Reactor ─► CLinux
//        │                    └─► Groups ─┘      │         │           └─► Postgres ─► Reactor, CPostgres
//        ├─► Moderation ─► Groups                │         └─► Outgoing ─► HTTP
//        ├─► Webhooks ─► Groups                  └─► Pictures ─► Reactor
//        └─► Push ─► Accounts

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func module(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "Anthill",
    products: [.executable(name: "anthill", targets: ["AnthillServer"])],
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CJose", pkgConfig: "jose", providers: [.apt(["libjose-dev"])]),
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        .target(
            name: "Schema", dependencies: ["Postgres"], path: "sql", exclude: ["citus.sql"],
            resources: [.copy("tables"), .copy("functions"), .copy("maintenance")], swiftSettings: strict),
        module("Time", []),
        module("Reactor", ["CLinux"]),
        module("Pictures", ["Reactor", "CLinux", "CPNG", "CTurboJPEG", "CWebP", "CSeccomp"]),
        module("Postgres", ["Reactor", "Time", "CPostgres"]),
        module("HTTP", ["Reactor", "Time", "CBrotli", "CLinux", "CZlib"]),
        module("API", ["HTTP", "Postgres", "Time", "CSodium"]),
        module("Outgoing", ["HTTP", "Reactor", "CCurl"]),
        module("Mail", ["API", "HTTP", "Outgoing", "Postgres", "Reactor", "Time", "CCurl"]),
        module(
            "Accounts",
            ["Mail", "API", "HTTP", "Outgoing", "Pictures", "Postgres", "Reactor", "Time", "CJose", "CSodium"],
            resources: [.copy("common-passwords.txt")]),
        module("Groups", ["Accounts", "Mail", "API", "HTTP", "Postgres", "Time", "CQRCode"]),
        module("Study", ["Accounts", "Mail", "API", "HTTP", "Postgres", "Reactor", "Time"]),
        module("Ranking", ["Study", "Groups", "Accounts", "Mail", "API", "HTTP", "Postgres", "Reactor", "Time"]),
        module("Moderation", ["Groups", "Accounts", "Mail", "API", "HTTP", "Postgres", "Reactor", "Time"]),
        module("Webhooks", ["Groups", "Accounts", "Mail", "API", "HTTP", "Outgoing", "Postgres", "Reactor", "Time"]),
        module("Push", ["Accounts", "Mail", "API", "HTTP", "Outgoing", "Postgres", "Reactor", "Time", "CCrypto"]),
        .executableTarget(
            name: "AnthillServer",
            dependencies: [
                "Moderation", "Push", "Webhooks", "Ranking", "Study", "Groups", "Accounts", "Mail", "API", "HTTP",
                "Outgoing", "Pictures", "Postgres", "Reactor", "Schema", "Time",
            ],
            resources: [.copy("Documents"), .copy("Web"), .copy("openapi.yaml")],
            swiftSettings: strict),

        .target(
            name: "TestSupport", dependencies: ["Accounts", "API", "HTTP", "Postgres", "Reactor", "Schema", "Time"],
            path: "Tests/TestSupport", swiftSettings: strict),
        tests("TimeTests", ["Time"]),
        tests("ReactorTests", ["Reactor"]),
        tests("PostgresTests", ["Postgres", "Reactor", "Time"]),
        tests("HTTPTests", ["HTTP", "Reactor"]),
        tests("OutgoingTests", ["Outgoing", "HTTP", "Reactor"]),
        tests("APITests", ["API", "HTTP", "Postgres"]),
        tests("MailTests", ["Mail", "API", "HTTP", "Postgres", "Reactor", "Time"], exclude: ["smtp_server.py"]),
        tests("PicturesTests", ["Pictures", "Reactor"]),
        tests(
            "AccountsTests",
            ["Accounts", "Mail", "API", "HTTP", "Outgoing", "Pictures", "Postgres", "Reactor", "Time"]),
        tests("GroupsTests", ["Groups", "Accounts", "Mail", "API", "HTTP", "Postgres", "Reactor", "Time"]),
        tests("StudyTests", ["Study", "Accounts", "Mail", "API", "HTTP", "Postgres", "Reactor", "Time"]),
        tests(
            "RankingTests",
            ["Ranking", "Study", "Groups", "Accounts", "Mail", "API", "HTTP", "Postgres", "Reactor", "Time"]),
        tests(
            "ModerationTests",
            [
                "Moderation", "Ranking", "Study", "Groups", "Accounts", "Mail", "API", "HTTP", "Postgres", "Reactor",
                "Time",
            ]),
        tests(
            "PushTests",
            ["Push", "Accounts", "Mail", "API", "HTTP", "Outgoing", "Postgres", "Reactor", "Time"]),
        tests(
            "WebhooksTests",
            ["Webhooks", "Groups", "Accounts", "Mail", "API", "HTTP", "Outgoing", "Postgres", "Reactor", "Time"]),
        tests(
            "AnthillServerTests",
            [
                "AnthillServer", "Push", "Ranking", "Study", "Groups", "Accounts", "Mail", "API", "HTTP", "Postgres",
                "Reactor", "Schema", "Time",
            ]),
    ]
)
