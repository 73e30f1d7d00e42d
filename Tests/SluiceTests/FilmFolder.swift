import Foundation
import SluiceCore
import SluiceGraph
import TestTools
import Testing

@testable import Sluice

/// A folder of made films, mounted; removed with its last user.
final class FilmFolder {
    let url: URL
    let root: String

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "films-\(UUID().uuidString)")
        root = url.lastPathComponent
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Pictures and sounds of the codecs `sounds` in that order, keyframes every two seconds.
    func film(
        _ name: String, seconds: Int = 60, size: String = "320x180", picture: String = "libx264",
        sounds: [String] = ["aac"]
    ) throws {
        var arguments = [
            "-v", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=\(seconds)", "-f", "lavfi",
            "-i", "sine=r=48000:d=\(seconds)", "-map", "0", "-c:v", picture, "-preset", "ultrafast", "-bf", "2", "-g",
            "50",
        ]
        if picture == "libx265" { arguments += ["-x265-params", "log-level=none"] }
        for (number, codec) in sounds.enumerated() { arguments += ["-map", "1", "-c:a:\(number)", codec] }
        try ExternalTool.run("ffmpeg", arguments + [url.appending(path: name).path()])
    }

    static func graphs() throws -> GraphCatalog {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Graphs")
        return try GraphCatalog(directory: package.standardized.path())
    }

    func engine(_ change: (inout Engine.Options) -> Void = { _ in }) throws -> Engine {
        var library = Library()
        try library.mount(url.path())
        var options = Engine.Options()
        change(&options)
        return Engine(library: library, graphs: try Self.graphs(), options: options)
    }
}

/// An origin's answer with its body joined.
struct Answered {
    var status: Int
    var bytes: [UInt8]
    var headers: Headers
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
}

extension Origin {
    func get(_ target: String, _ headers: Headers = Headers()) async throws -> Answered {
        let request = try #require(Request(method: .get, target: target, headers: headers, peer: "192.0.2.7"))
        let response = await respond(to: request)
        let bytes: [UInt8] =
            switch response.body {
            case .none: []
            case .bytes(let bytes): bytes
            case .chunks(let chunks): chunks.joined()
            case .open(let file): try #require(file.contents())
            case .file(let path, let size): Array(try Data(contentsOf: URL(filePath: path)).prefix(Int(size)))
            }
        return Answered(status: response.status, bytes: bytes, headers: response.headers)
    }

    /// The folder of a title's plan and the media playlist's segment names.
    func segments(_ base: String, _ rendition: String = "video") async throws -> (folder: String, names: [String]) {
        let master = try await get(base + "master.m3u8")
        try #require(master.status == 200, "\(master.text)")
        let line = try #require(master.lines.last { !$0.hasPrefix("#") })
        let folder = base + line.split(separator: "/")[0] + "/"
        let media = try await get(folder + "\(rendition).m3u8")
        return (folder, media.lines.filter { !$0.hasPrefix("#") })
    }
}

/// Asks again until `condition` holds, at most thirty seconds.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return false
}
