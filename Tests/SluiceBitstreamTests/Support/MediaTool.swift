import Foundation
import Testing

/// Runs ffmpeg and ffprobe, which serve as oracles.
enum MediaTool {
    static let isPresent =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")
        && FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe")

    struct Output {
        var status: Int32
        var standardOutput: [UInt8]
        var standardError: String
        var text: String { String(decoding: standardOutput, as: UTF8.self) }
    }

    static func run(_ tool: String, _ arguments: [String], in folder: TemporaryFolder) throws -> Output {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: tool)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.standardInput = FileHandle.nullDevice
        let outFile = folder.url.appendingPathComponent("stdout-\(UUID().uuidString)")
        let errorFile = folder.url.appendingPathComponent("stderr-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: outFile.path, contents: nil)
        _ = FileManager.default.createFile(atPath: errorFile.path, contents: nil)
        let out = try FileHandle(forWritingTo: outFile)
        let error = try FileHandle(forWritingTo: errorFile)
        process.standardOutput = out
        process.standardError = error
        try process.run()
        process.waitUntilExit()
        try out.close()
        try error.close()
        return Output(
            status: process.terminationStatus, standardOutput: [UInt8](try Data(contentsOf: outFile)),
            standardError: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self))
    }

    /// Runs ffmpeg and fails the test where it reports anything but success.
    static func ffmpeg(_ arguments: [String], in folder: TemporaryFolder) throws -> Output {
        let output = try run("/usr/bin/ffmpeg", ["-v", "error", "-nostdin", "-y"] + arguments, in: folder)
        #expect(output.status == 0, "ffmpeg \(arguments.joined(separator: " ")): \(output.standardError)")
        return output
    }

    /// `key=value` lines of ffprobe.
    static func probe(_ entries: String, stream: String? = nil, file: String, in folder: TemporaryFolder) throws
        -> [String]
    {
        let selection = stream.map { ["-select_streams", $0] } ?? []
        let output = try run(
            "/usr/bin/ffprobe", ["-v", "error"] + selection + ["-show_entries", entries, "-of", "compact=p=0", file],
            in: folder)
        #expect(output.status == 0 && output.standardError.isEmpty, "ffprobe \(file): \(output.standardError)")
        return output.text.split(separator: "\n").map(String.init)
    }
}

/// A folder that goes away with the test.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("sluice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url.appendingPathComponent(name))) }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: url.appendingPathComponent(name))
    }
}

func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { $0.isHexDigit }
    var bytes: [UInt8] = []
    var index = digits.startIndex
    while let next = digits.index(index, offsetBy: 2, limitedBy: digits.endIndex), next != index {
        bytes.append(UInt8(digits[index..<next], radix: 16) ?? 0)
        index = next
    }
    return bytes
}
