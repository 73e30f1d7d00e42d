import Glibc
import SluiceCore

/// What a process needs before anything else: descriptors, threads, and words that can be read.
enum StartCheck {
    /// Descriptors that the concurrency runtime and one source need; where they lack, the runtime ends the process.
    private static let descriptors = 12
    /// Signal thread, two of the runtime's, one that may block, one for the network.
    private static let threads = 5

    /// Makes sure that 0, 1 and 2 are taken: a file that was opened under one of them would get what is printed.
    ///
    /// Writing to a standard output that was closed still fails, as it should.
    static func occupyStandardDescriptors() {
        for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        where fcntl(number, F_GETFD) < 0 {
            // The lowest free number is the one that is missing.
            _ = open("/dev/null", mode)
        }
    }

    /// - Throws: `.exhausted` where the limits of the process are too small to run at all.
    static func resources() throws(NodeFailure) {
        var held: [Int32] = []
        while held.count < descriptors {
            let copy = dup(STDERR_FILENO)
            guard copy >= 0 else { break }
            held.append(copy)
        }
        for copy in held { close(copy) }
        guard held.count == descriptors else {
            throw NodeFailure(
                .exhausted, "only \(held.count) more files can be opened; \(descriptors) are needed (ulimit -n)")
        }
        let made = startableThreads()
        guard made == threads else {
            throw NodeFailure(
                .exhausted, "only \(made) more threads can be made; \(threads) are needed (ulimit -u)")
        }
    }

    /// How many threads can be alive together, at most what is needed.
    private static func startableThreads() -> Int {
        let gate = Locked(false)
        var made: [pthread_t] = []
        while made.count < threads {
            var thread = pthread_t()
            let context = Unmanaged.passRetained(Gate(gate)).toOpaque()
            let status = pthread_create(
                &thread, nil,
                { context in
                    guard let context else { return nil }
                    let gate = Unmanaged<Gate>.fromOpaque(context).takeRetainedValue().isOpen
                    _ = gate.wait(until: nil) { $0 ? true : nil }
                    return nil
                }, context)
            guard status == 0 else {
                Unmanaged<Gate>.fromOpaque(context).release()
                break
            }
            made.append(thread)
        }
        gate.withLock { $0 = true }
        gate.signal()
        for thread in made { pthread_join(thread, nil) }
        return made.count
    }

    private final class Gate: Sendable {
        let isOpen: Locked<Bool>
        init(_ isOpen: Locked<Bool>) { self.isOpen = isOpen }
    }

    /// The number of the first word of the command line (after the program's name) that is not UTF-8, and its text.
    ///
    /// Swift replaces such bytes, and the word would then name another file.
    static func unreadableWord() -> (number: Int, text: String)? {
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { continue }
            return (index, String(cString: word))
        }
        return nil
    }
}
