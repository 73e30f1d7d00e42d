import Foundation
import Glibc
import SluiceCore
import Testing

/// A headless Chromium that is driven over its DevTools pipe; one page, one command at a time.
final class Chromium: Sendable {
    struct Failure: Error, CustomStringConvertible { var description: String }

    private struct Command: Encodable {
        struct Parameters: Encodable {
            var targetId: String?
            var flatten: Bool?
            var url: String?
            var expression: String?
            var awaitPromise: Bool?
            var returnByValue: Bool?
        }
        var id: Int
        var method: String
        var params: Parameters
        var sessionId: String?
    }

    private struct Message: Decodable {
        struct Target: Decodable, Sendable {
            var type: String
            var targetId: String
        }
        struct Value: Decodable, Sendable { var value: String? }
        struct Exception: Decodable, Sendable {
            struct Object: Decodable, Sendable { var description: String? }
            var text: String?
            var exception: Object?
        }
        struct Entry: Decodable, Sendable {
            var level: String
            var text: String
            var url: String?
        }
        struct Trouble: Decodable, Sendable { var message: String }
        struct Result: Decodable, Sendable {
            var targetInfos: [Target]?
            var sessionId: String?
            var result: Value?
            var exceptionDetails: Exception?
        }
        struct Details: Decodable, Sendable {
            var exceptionDetails: Exception?
            var entry: Entry?
        }
        var id: Int?
        var method: String?
        var result: Result?
        var error: Trouble?
        var params: Details?
    }

    private struct Pipes {
        var input: FileHandle
        var output: FileHandle
        var buffer: [UInt8] = []
        var number = 0
        var session: String?
        /// Errors and warnings of the page, and responses that it could not load.
        var complaints: [String] = []
    }

    static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private let process: pid_t
    private let profile: URL
    private let pipes: Locked<Pipes>

    init() throws {
        guard let path = Self.path else { throw Failure(description: "no Chromium") }
        profile = FileManager.default.temporaryDirectory.appending(path: "chromium-\(UUID().uuidString)")
        let arguments = [
            path, "--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu", "--mute-audio",
            "--autoplay-policy=no-user-gesture-required", "--disable-dev-shm-usage", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-extensions",
            "--disable-background-timer-throttling",
            "--disable-renderer-backgrounding", "--proxy-server=direct://", "--window-size=1280,900",
            "--remote-debugging-pipe", "--user-data-dir=\(profile.path())", "about:blank",
        ]
        let (commands, answers) = (try Self.pipe(), try Self.pipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The browser reads commands from descriptor 3 and writes answers to descriptor 4.
        posix_spawn_file_actions_adddup2(&actions, commands.read, 3)
        posix_spawn_file_actions_adddup2(&actions, answers.write, 4)
        for descriptor: Int32 in [0, 1, 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        var texts = arguments.map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        var identifier: pid_t = 0
        let status = posix_spawn(&identifier, path, &actions, &attributes, &texts, environ)
        close(commands.read)
        close(answers.write)
        guard status == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(status)))") }
        process = identifier
        pipes = Locked(
            Pipes(
                input: FileHandle(fileDescriptor: commands.write, closeOnDealloc: true),
                output: FileHandle(fileDescriptor: answers.read, closeOnDealloc: true)))
        signal(SIGPIPE, SIG_IGN)
        let targets = try command("Target.getTargets").targetInfos ?? []
        let page = targets.first { $0.type == "page" }?.targetId
        let session = try command("Target.attachToTarget", .init(targetId: page, flatten: true)).sessionId
        pipes.withLock { $0.session = session }
        for domain in ["Page", "Runtime", "Log"] { _ = try command("\(domain).enable") }
    }

    deinit {
        kill(-process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        try? FileManager.default.removeItem(at: profile)
    }

    /// Above the descriptors that the browser's ends are copied onto, and closed in the browser.
    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
        let high = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        ends.forEach { close($0) }
        return (high[0], high[1])
    }

    /// What the page complained of so far.
    var complaints: [String] { pipes.withLock { $0.complaints } }

    func open(_ url: String) async throws {
        _ = try await run { try $0.command("Page.navigate", .init(url: url)) }
    }

    /// The value of an expression as JSON; promises are waited for.
    func evaluate(_ script: String) async throws -> String {
        try await run { chromium in
            let answer = try chromium.command(
                "Runtime.evaluate",
                .init(
                    expression: "(async () => JSON.stringify((await (\(script))) ?? null))()", awaitPromise: true,
                    returnByValue: true))
            if let details = answer.exceptionDetails {
                throw Failure(description: "\(script): \(details.exception?.description ?? details.text ?? "")")
            }
            return answer.result?.value ?? "null"
        }
    }

    func number(_ script: String) async throws -> Double { Double(try await evaluate(script)) ?? .nan }

    /// Whether a condition comes to hold within `seconds`; looked at ten times a second by the page itself.
    func waits(for condition: String, seconds: Int = 30) async throws -> Bool {
        let script = """
            new Promise((resolve) => {
                const end = performance.now() + \(seconds * 1000);
                const look = () => {
                    let holds = false;
                    try { holds = Boolean(\(condition)); } catch {}
                    if (holds || performance.now() > end) resolve(holds); else setTimeout(look, 100);
                };
                look();
            })
            """
        return try await evaluate(script) == "true"
    }

    /// Off the pool that the server under test runs on: the pipe blocks.
    private func run<Value: Sendable>(_ body: @escaping @Sendable (Chromium) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body(self) }) }
        }
    }

    private func command(_ method: String, _ parameters: Command.Parameters = .init()) throws -> Message.Result {
        try pipes.withLock { pipes throws in
            pipes.number += 1
            let command = Command(id: pipes.number, method: method, params: parameters, sessionId: pipes.session)
            try pipes.input.write(contentsOf: JSONEncoder().encode(command) + [0])
            while true {
                let message = try Self.receive(&pipes)
                if message.id == pipes.number {
                    if let error = message.error { throw Failure(description: "\(method): \(error.message)") }
                    return message.result ?? .init()
                }
                if let exception = message.params?.exceptionDetails {
                    pipes.complaints.append(exception.exception?.description ?? exception.text ?? "exception")
                }
                if let entry = message.params?.entry, entry.level == "error" {
                    pipes.complaints.append("\(entry.text) \(entry.url ?? "")")
                }
            }
        }
    }

    private static func receive(_ pipes: inout Pipes) throws -> Message {
        while true {
            if let end = pipes.buffer.firstIndex(of: 0) {
                let data = Data(pipes.buffer[..<end])
                pipes.buffer.removeFirst(end + 1)
                return try JSONDecoder().decode(Message.self, from: data)
            }
            var wait = pollfd(fd: pipes.output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            // Longer than any wait that is given to the page itself.
            guard poll(&wait, 1, 150_000) > 0 else { throw Failure(description: "Chromium does not answer") }
            let data = pipes.output.availableData
            guard !data.isEmpty else { throw Failure(description: "Chromium ended") }
            pipes.buffer += data
        }
    }
}
