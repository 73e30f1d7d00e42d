import Foundation

/// Runs the `sluice` that was built with these tests.
struct Subprocess {
    let code: Int32
    let output: String
    let errors: String

    /// The root of the package these tests belong to.
    static let packageRoot = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The built program: next to the test bundle, wherever the scratch folder is.
    static let program: URL? = {
        guard let self_ = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            return nil
        }
        var folders = [URL(filePath: self_).deletingLastPathComponent()]
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            folders.append(URL(filePath: argument).deletingLastPathComponent())
        }
        folders.append(packageRoot.appending(path: ".build/debug"))
        return folders.map { $0.appending(path: "sluice") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    /// Runs the program to its end; `whileRunning` sees it started.
    static func run(_ arguments: [String], whileRunning: (Process) -> Void = { _ in }) throws -> Subprocess {
        guard let program else { throw CocoaError(.fileNoSuchFile) }
        return try run(program, arguments, whileRunning)
    }

    /// Runs a script of the shell, in which `$S` is the program and `$1`… are `arguments`.
    static func shell(_ script: String, _ arguments: String...) throws -> Subprocess {
        guard let program else { throw CocoaError(.fileNoSuchFile) }
        let words = ["-c", "S=\(program.path)\n\(script)", "bash"] + arguments
        return try run(URL(filePath: "/bin/bash"), words)
    }

    private static func run(
        _ program: URL, _ arguments: [String], _ whileRunning: (Process) -> Void = { _ in }
    ) throws -> Subprocess {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-cli-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (out, err) = (folder.appending(path: "out"), folder.appending(path: "err"))
        for file in [out, err] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: out)
        process.standardError = try FileHandle(forWritingTo: err)
        try process.run()
        whileRunning(process)
        process.waitUntilExit()
        return Subprocess(
            code: process.terminationStatus,
            output: try String(contentsOf: out, encoding: .utf8),
            errors: try String(contentsOf: err, encoding: .utf8))
    }
}
