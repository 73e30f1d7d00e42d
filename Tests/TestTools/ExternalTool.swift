public import Foundation

/// The programs that tests make their inputs with and ask as oracles: ffmpeg, ffprobe and the like.
public enum ExternalTool {
    /// A program ended with another status than 0.
    public struct Failure: Error, CustomStringConvertible {
        public let command: String
        public let status: Int32
        public var description: String { "\(command): status \(status)" }
    }

    /// Runs a program of `/usr/bin` to its end, without input; its complaints are dropped.
    ///
    /// - Returns: what it wrote to its output.
    /// - Throws: ``Failure``, or what `Process` throws where the program is missing.
    @discardableResult
    public static func run(_ name: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/\(name)")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let command = ([name] + arguments).joined(separator: " ")
            throw Failure(command: command, status: process.terminationStatus)
        }
        return data
    }

    /// The output as text.
    public static func text(_ name: String, _ arguments: [String]) throws -> String {
        String(decoding: try run(name, arguments), as: UTF8.self)
    }
}
