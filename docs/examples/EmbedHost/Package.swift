// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "EmbedHost",
    // Outside of this repository: .package(url: "https://…/sluice.git", branch: "main")
    dependencies: [.package(name: "sluice", path: "../../..")],
    targets: [
        .executableTarget(name: "EmbedHost", dependencies: [.product(name: "Sluice", package: "sluice")])
    ]
)
