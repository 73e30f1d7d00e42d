// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A Swift target of `Sources/`; arrows in `dependencies` point downward only (docs/architecture.md).
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// `Sources/SluiceServer/Page/`; `PageFile` gives them their paths.
let pageFiles = [
    "index.html", "page.css", "icon.svg", "boxes.js", "captions.js", "cues.js", "feeder.js", "fetching.js",
    "figures.js", "graph.js", "lane.js", "library.js", "page.js", "pictures.js", "player.js", "playlist.js",
]

let package = Package(
    name: "sluice",
    products: [
        .library(name: "Sluice", targets: ["Sluice"]),
        .library(name: "SluiceServer", targets: ["SluiceServer"]),
        .library(name: "SluiceTestKit", targets: ["SluiceTestKit"]),
        .library(name: "FuzzProperties", targets: ["FuzzProperties"]),
        .executable(name: "sluice", targets: ["sluice"]),
        .executable(name: "sluice-bench", targets: ["sluice-bench"]),
    ],
    targets: [
        .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat", providers: [.apt(["libavformat-dev"])]),
        .systemLibrary(name: "CDav1d", pkgConfig: "dav1d", providers: [.apt(["libdav1d-dev"])]),
        .systemLibrary(name: "CZvbi", pkgConfig: "zvbi-0.2", providers: [.apt(["libzvbi-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .target(name: "CMediaShim", dependencies: ["CFFmpeg", "CCurl", "CMicrohttpd"]),
        .target(name: "CThreadShim"),

        library("SluiceCore", []),
        library("SluiceDataflow", ["SluiceCore", "CThreadShim"]),
        library("SluiceGraph", ["SluiceCore", "SluiceDataflow"]),
        library("SluiceBitstream", ["SluiceCore"]),
        library(
            "SluiceAV",
            ["SluiceCore", "SluiceDataflow", "SluiceBitstream", "CFFmpeg", "CDav1d", "CZvbi", "CMediaShim"]),
        library("SluiceTransport", ["SluiceCore", "SluiceDataflow", "CCurl", "CMediaShim"]),
        library(
            "SluiceNodes",
            ["SluiceCore", "SluiceDataflow", "SluiceGraph", "SluiceBitstream", "SluiceAV", "SluiceTransport"]),
        library("Sluice", ["SluiceCore", "SluiceDataflow", "SluiceGraph", "SluiceBitstream", "SluiceNodes"]),
        library("SluiceCommand", ["SluiceCore"]),
        .target(
            name: "SluiceServer",
            dependencies: ["Sluice", "SluiceCore", "CMicrohttpd", "CMediaShim", "CThreadShim"],
            // The status page lies in the program: a server is one file, and no Bundle has to be found.
            resources: pageFiles.map { .embedInCode("Page/\($0)") },
            swiftSettings: strict),
        library(
            "SluiceTestKit",
            ["SluiceCore", "SluiceDataflow", "SluiceGraph", "SluiceAV", "SluiceTransport", "SluiceNodes"]),
        .executableTarget(
            name: "sluice",
            dependencies: [
                "SluiceCommand", "Sluice", "SluiceServer", "SluiceCore", "SluiceDataflow", "SluiceGraph",
                "SluiceBitstream", "SluiceAV",
                "SluiceTransport", "SluiceNodes",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "sluice-bench",
            dependencies: [
                "SluiceBitstream", "SluiceCore", "SluiceDataflow", "SluiceGraph", "SluiceAV", "SluiceTransport",
                "SluiceNodes",
                "SluiceTestKit",
            ],
            path: "Benchmarks/sluice-bench",
            swiftSettings: strict),

        // The properties of parsers, for the fuzz targets (Tests/Fuzz) and the replay of their corpus.
        .target(
            name: "FuzzProperties",
            dependencies: ["Sluice", "SluiceGraph", "SluiceBitstream", "SluiceDataflow", "SluiceCore"],
            path: "Tests/FuzzProperties",
            swiftSettings: strict),

        // The host of docs/embedding.md as a part of the tests; a package of its own holds it for readers.
        .target(
            name: "EmbedHostParts",
            dependencies: ["Sluice", "SluiceCore", "SluiceDataflow", "SluiceGraph", "SluiceAV", "SluiceNodes"],
            path: "docs/examples/EmbedHost/Sources/EmbedHost",
            exclude: ["main.swift"],
            swiftSettings: strict),

        // What several test targets share and no library needs.
        .target(name: "TestTools", path: "Tests/TestTools", swiftSettings: strict),

        tests("SluiceCoreTests", ["SluiceCore"]),
        tests("SluiceDataflowTests", ["SluiceDataflow", "SluiceCore", "SluiceTestKit"]),
        tests("SluiceGraphTests", ["FuzzProperties", "SluiceGraph", "SluiceDataflow", "SluiceCore", "SluiceTestKit"]),
        tests("SluiceBitstreamTests", ["SluiceBitstream", "SluiceCore", "TestTools"]),
        tests("SluiceAVTests", ["SluiceAV", "SluiceCore", "SluiceTransport", "SluiceTestKit"]),
        tests("SluiceTransportTests", ["SluiceTransport", "SluiceCore", "SluiceDataflow", "SluiceTestKit"]),
        tests(
            "SluiceNodesTests",
            [
                "SluiceNodes", "SluiceAV", "SluiceTransport", "SluiceGraph", "SluiceDataflow", "SluiceCore",
                "SluiceBitstream", "SluiceTestKit", "TestTools",
            ]),
        tests(
            "SluiceTests",
            [
                "Sluice", "SluiceServer", "SluiceBitstream", "SluiceNodes", "SluiceGraph", "SluiceCore",
                "SluiceTestKit", "EmbedHostParts", "TestTools",
            ]),
        tests("CommandTests", ["SluiceCommand", "SluiceGraph", "SluiceCore", "SluiceTestKit", "TestTools", "sluice"]),
    ]
)
