// swift-tools-version: 6.1
import PackageDescription

/// A program that libFuzzer drives. `make fuzz` builds everything below with coverage as well.
func fuzzer(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["FuzzDriver", .product(name: "FuzzProperties", package: "sluice")],
        swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])],
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
}

let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "sluice", path: "../..")],
    targets: [.target(name: "FuzzDriver")]
        + [
            "json", "graph", "playlist", "boxes", "writer", "parameters", "nal", "obu", "audio", "request", "rpu",
            "metadata", "matroska", "text",
        ].map { fuzzer("fuzz-\($0)") }
)
