import Glibc
import SluiceCore

/// The synchronous frame around asynchronous commands.
///
/// `main` stays synchronous because callgrind crashes on an asynchronous one.
public enum CommandLineMain {
    /// Runs the command that `arguments` (with the program's name first) ask for and returns the exit code.
    ///
    /// The first SIGINT, SIGTERM or SIGHUP cancels the command's task and raises its ``Interruption``; the second ends the
    /// process at once. Must be called from `main`, before any thread exists.
    public static func run(_ registry: CommandRegistry, arguments: [String] = CommandLine.arguments) -> Int32 {
        StartCheck.occupyStandardDescriptors()
        let interruption = Interruption()
        let running = Locked<Task<Void, Never>?>(nil)
        SignalWatch.start { number in
            if interruption.isRaised { _exit(128 + number) }
            interruption.raise()
            running.withLock { $0 }?.cancel()
        }
        let health = OutputHealth()
        let console = Console.standard(health)
        do throws(NodeFailure) { try StartCheck.resources() } catch {
            console.note("\(registry.program): \(error)")
            return ExitCode.failed.rawValue
        }
        if let (number, text) = StartCheck.unreadableWord() {
            let message = "argument \(number) is not UTF-8: '\(text)'"
            console.report(
                Diagnostic(
                    .error, UsageError.Code.invalidValue.rawValue, message, file: registry.program,
                    hint: "rename the file, or name its folder"))
            return ExitCode.usage.rawValue
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            perror(registry.program)
            return ExitCode.failed.rawValue
        }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        defer {
            close(readEnd)
            close(writeEnd)
        }
        let words = Array(arguments.dropFirst())
        let task = Task.detached {
            var code = await registry.run(words, console: console, interruption: interruption).rawValue
            // A pipe, because a thread may wait in it without a lock; four bytes are written whole.
            while Glibc.write(writeEnd, &code, MemoryLayout<Int32>.size) < 0, errno == EINTR {}
        }
        running.withLock { $0 = task }
        if interruption.isRaised { task.cancel() }
        var code = ExitCode.failed.rawValue
        while Glibc.read(readEnd, &code, MemoryLayout<Int32>.size) < 0, errno == EINTR {}
        if let complaint = health.complaint() {
            console.note("\(registry.program): \(complaint)")
            if code == ExitCode.ok.rawValue { code = ExitCode.failed.rawValue }
        }
        return code
    }
}
