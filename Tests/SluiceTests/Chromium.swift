import Foundation
import Glibc
import SluiceCore
import Testing

/// A headless Chromium that is driven over its DevTools pipe; one page, one command at a time.
final class Chromium: Sendable {
    struct Failure: Error, CustomStringConvertible { var description: String }

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
        let targets = try command("Target.getTargets", [:])["targetInfos"] as? [[String: Any]] ?? []
        let page = targets.first { $0["type"] as? String == "page" }?["targetId"] as? String ?? ""
        let session = try command("Target.attachToTarget", ["targetId": page, "flatten": true])["sessionId"] as? String
        pipes.withLock { $0.session = session }
        for domain in ["Page", "Runtime", "Log"] { _ = try command("\(domain).enable", [:]) }
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
        _ = try await run { try $0.command("Page.navigate", ["url": url]) }
    }

    /// The value of an expression as JSON; promises are waited for.
    func evaluate(_ script: String) async throws -> String {
        try await run { chromium in
            let answer = try chromium.command(
                "Runtime.evaluate",
                [
                    "expression": "(async () => JSON.stringify((await (\(script))) ?? null))()", "awaitPromise": true,
                    "returnByValue": true,
                ])
            if let details = answer["exceptionDetails"] as? [String: Any] {
                throw Failure(description: "\(script): \(details)")
            }
            return (answer["result"] as? [String: Any])?["value"] as? String ?? "null"
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

    @discardableResult
    private func command(_ method: String, _ parameters: sending [String: Any]) throws -> sending [String: Any] {
        let parameterData = try JSONSerialization.data(withJSONObject: parameters)
        let answer: Data = try pipes.withLock { pipes throws in
            pipes.number += 1
            var message: [String: Any] = [
                "id": pipes.number, "method": method,
                "params": try JSONSerialization.jsonObject(with: parameterData),
            ]
            if let session = pipes.session { message["sessionId"] = session }
            try pipes.input.write(contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
            while true {
                let (data, text) = try Self.receive(&pipes)
                if text["id"] as? Int == pipes.number { return data }
                Self.note(text, &pipes)
            }
        }
        let text = try JSONSerialization.jsonObject(with: answer) as? [String: Any] ?? [:]
        if let error = text["error"] { throw Failure(description: "\(method): \(error)") }
        return text["result"] as? [String: Any] ?? [:]
    }

    private static func receive(_ pipes: inout Pipes) throws -> (Data, [String: Any]) {
        while true {
            if let end = pipes.buffer.firstIndex(of: 0) {
                let data = Data(pipes.buffer[..<end])
                pipes.buffer.removeFirst(end + 1)
                return (data, try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:])
            }
            var wait = pollfd(fd: pipes.output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 60_000) > 0 else { throw Failure(description: "Chromium does not answer") }
            let data = pipes.output.availableData
            guard !data.isEmpty else { throw Failure(description: "Chromium ended") }
            pipes.buffer += data
        }
    }

    private static func note(_ event: [String: Any], _ pipes: inout Pipes) {
        let details = event["params"] as? [String: Any] ?? [:]
        switch event["method"] as? String {
        case "Runtime.exceptionThrown": pipes.complaints.append("\(details["exceptionDetails"] ?? "")")
        case "Log.entryAdded":
            let entry = details["entry"] as? [String: Any] ?? [:]
            if entry["level"] as? String == "error" {
                pipes.complaints.append("\(entry["text"] ?? "") \(entry["url"] ?? "")")
            }
        default: break
        }
    }
}
