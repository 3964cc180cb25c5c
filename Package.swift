// swift-tools-version: 6.2
import PackageDescription

// The architecture in one screen: a target may import what it names here and nothing else.
//
//   AnthillServer ─► Ranking ─► Study ─► Groups ─► Accounts ─► Mail ─┬─► HTTP ─────► Reactor ─► CLinux
//                                                                    └─► Postgres ─► Reactor, CPostgres

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
        .systemLibrary(name: "CQRCode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),

        .target(
            name: "Schema", dependencies: ["Postgres"], path: "sql", exclude: ["maintenance"],
            resources: [.copy("tables"), .copy("functions")], swiftSettings: strict),
        module("Reactor", ["CLinux"]),
        module("Postgres", ["Reactor", "CPostgres"]),
        module("HTTP", ["Reactor", "CLinux"]),
        module("Mail", ["HTTP", "Postgres", "Reactor", "CCurl"]),
        module(
            "Accounts", ["Mail", "HTTP", "Postgres", "Reactor", "CSodium"],
            resources: [.copy("common-passwords.txt")]),
        module("Groups", ["Accounts", "Mail", "HTTP", "Postgres", "Reactor", "CQRCode"]),
        module("Study", ["Groups", "Accounts", "Mail", "HTTP", "Postgres", "Reactor"]),
        module("Ranking", ["Study", "Groups", "Accounts", "Mail", "HTTP", "Postgres", "Reactor"]),
        .executableTarget(
            name: "AnthillServer",
            dependencies: [
                "Ranking", "Study", "Groups", "Accounts", "Mail", "HTTP", "Postgres", "Reactor", "Schema",
            ],
            resources: [.copy("Web"), .copy("openapi.yaml")],
            swiftSettings: strict),

        .target(
            name: "TestSupport", dependencies: ["Accounts", "HTTP", "Postgres", "Reactor", "Schema"],
            path: "Tests/TestSupport", swiftSettings: strict),
        tests("ReactorTests", ["Reactor"]),
        tests("PostgresTests", ["Postgres", "Reactor"]),
        tests("HTTPTests", ["HTTP", "Reactor"]),
        tests("MailTests", ["Mail", "HTTP", "Postgres", "Reactor"], exclude: ["smtp_server.py"]),
        tests("AccountsTests", ["Accounts", "Mail", "HTTP", "Postgres", "Reactor"]),
        tests("GroupsTests", ["Groups", "Accounts", "Mail", "HTTP", "Postgres", "Reactor"]),
        tests("StudyTests", ["Study", "Groups", "Accounts", "Mail", "HTTP", "Postgres", "Reactor"]),
        tests("RankingTests", ["Ranking", "Study", "Groups", "Accounts", "Mail", "HTTP", "Postgres", "Reactor"]),
        tests(
            "AnthillServerTests",
            [
                "AnthillServer", "Ranking", "Study", "Groups", "Accounts", "Mail", "HTTP", "Postgres", "Reactor",
                "Schema",
            ]),
    ]
)
