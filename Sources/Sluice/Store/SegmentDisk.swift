import Glibc
import SluiceCore
import SluiceDataflow
import SluiceTransport

/// Segments that left memory, one file each, under a budget of their own.
///
/// Files belong to one process: they lie in a folder that it has locked, and folders of processes that have ended are
/// removed. A file appears whole or not at all, and is used only while it has the length that was written. A disk that
/// is full or fails costs time, never bytes: segments are dropped and made again.
final class SegmentDisk: Sendable {
    typealias Key = SegmentStore.Key

    private struct Entry {
        var path: String
        var bytes: Int64
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var bytes: Int64 = 0
        var clock: UInt64 = 0
        /// Still to be written; also found from here.
        var waiting: [Key: [ByteChunk]] = [:]
        var queue = RingBuffer<Key>()
        var waitingBytes = 0
        var isWriting = false
        var rule = EvictionRule()
        /// After a failure nothing is written until then.
        var pausedUntil: ContinuousClock.Instant?
        var failures = 0
    }

    /// Bytes that may wait to be written: what comes on top is dropped.
    static let waitingLimit = 32 << 20
    static let pause = Duration.seconds(10)

    let budget: Int64
    private let folder: String
    private let lock: Int32
    private let clock: any TimeSource
    private let logger: Logger
    private let state = Locked(State())

    /// - Throws: `.accessDenied` or `.notFound` where the directory cannot be made or locked.
    init(directory: String, budget: Int64, clock: any TimeSource, logger: Logger) throws(NodeFailure) {
        try Folder.make(directory)
        Self.clean(directory)
        folder = "\(directory)/sluice-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try Folder.make(folder)
        lock = open(folder + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw NodeFailure(.accessDenied, "'\(folder)' cannot be locked: \(String(cString: strerror(errno)))")
        }
        self.budget = max(0, budget)
        self.clock = clock
        self.logger = logger
    }

    deinit {
        Self.remove(folder)
        close(lock)
    }

    var bytes: Int64 { state.withLock { $0.bytes } }
    var count: Int { state.withLock { $0.entries.count } }
    var failures: Int { state.withLock { $0.failures } }

    /// Whether it takes what leaves memory.
    var isTaking: Bool {
        let now = clock.now
        return state.withLock { state in state.pausedUntil.map { $0 <= now } ?? true }
    }

    func find(_ key: Key) -> Response.Body? {
        let (chunks, entry): ([ByteChunk]?, Entry?) = state.withLock { state in
            if let waiting = state.waiting[key] { return (waiting, nil) }
            state.clock += 1
            state.entries[key]?.lastUse = state.clock
            return (nil, state.entries[key])
        }
        if let chunks { return .chunks(chunks) }
        guard let entry else { return nil }
        do throws(NodeFailure) {
            let file = try OpenFile(path: entry.path)
            if file.size == entry.bytes { return .open(file) }
        } catch { logger.debug("\(error)") }
        forget(key)
        return nil
    }

    /// Writes the segment soon, unless it is there already or too much waits.
    func keep(_ key: Key, _ chunks: [ByteChunk], _ rule: EvictionRule) {
        guard isTaking, case .media = key.segment.role else { return }
        let bytes = chunks.byteTotal
        let starts = state.withLock { state in
            state.rule = rule
            guard state.entries[key] == nil, state.waiting[key] == nil,
                state.waitingBytes + bytes <= Self.waitingLimit, Int64(bytes) <= budget
            else { return false }
            state.waiting[key] = chunks
            state.queue.append(key)
            state.waitingBytes += bytes
            defer { state.isWriting = true }
            return !state.isWriting
        }
        // The pool's threads may block; one of them writes at a time.
        if starts { BlockingThreads.shared.submit { [weak self] in self?.writeAll() } }
    }

    /// Returns when nothing waits to be written.
    func settle() async {
        while state.withLock({ $0.isWriting }) {
            do { try await Task.sleep(for: .milliseconds(1)) } catch { return }
        }
    }

    // MARK: - Writing

    private func writeAll() {
        while true {
            let next: (Key, [ByteChunk], String)? = state.withLock { state in
                while let key = state.queue.popFirst() {
                    guard let chunks = state.waiting[key] else { continue }
                    state.clock += 1
                    return (key, chunks, "\(folder)/\(state.clock).segment")
                }
                state.isWriting = false
                return nil
            }
            guard let (key, chunks, path) = next else { return }
            makeRoom(for: Int64(chunks.byteTotal))
            do throws(NodeFailure) {
                let file = try OutputFile(path: path)
                try file.write(chunks)
                try file.commit()
                finish(key, Entry(path: path, bytes: Int64(chunks.byteTotal), lastUse: 0))
            } catch {
                logger.warning("segments stay in memory for a while: \(error)")
                unlink(path)
                fail(error.code == .exhausted)
            }
        }
    }

    private func finish(_ key: Key, _ entry: Entry) {
        state.withLock { state in
            guard let chunks = state.waiting.removeValue(forKey: key) else { return }
            state.waitingBytes -= chunks.byteTotal
            state.clock += 1
            var entry = entry
            entry.lastUse = state.clock
            state.entries[key] = entry
            state.bytes += entry.bytes
        }
    }

    /// Gives up what waits, and an eighth of what is there where the disk is full: others need room as well.
    private func fail(_ isFull: Bool) {
        let until = clock.now.advanced(by: Self.pause)
        let paths: [String] = state.withLock { state in
            state.failures += 1
            state.pausedUntil = until
            state.waiting = [:]
            state.waitingBytes = 0
            return isFull ? evict(Int(clamping: state.bytes / 8), &state) : []
        }
        for path in paths { unlink(path) }
    }

    private func makeRoom(for bytes: Int64) {
        let paths: [String] = state.withLock { state in
            let excess = state.bytes + bytes - budget
            return excess > 0 ? evict(Int(clamping: excess), &state) : []
        }
        for path in paths { unlink(path) }
    }

    private func evict(_ excess: Int, _ state: inout State) -> [String] {
        let candidates = state.entries.map {
            EvictionRule.Candidate(key: $0.key, bytes: Int(clamping: $0.value.bytes), lastUse: $0.value.lastUse)
        }
        return state.rule.victims(candidates, excess: excess).compactMap { victim in
            guard let entry = state.entries.removeValue(forKey: victim.key) else { return nil }
            state.bytes -= entry.bytes
            return entry.path
        }
    }

    private func forget(_ key: Key) {
        let path: String? = state.withLock { state in
            guard let entry = state.entries.removeValue(forKey: key) else { return nil }
            state.bytes -= entry.bytes
            return entry.path
        }
        if let path { unlink(path) }
    }

    // MARK: - Folders

    /// Removes folders whose process has ended.
    private static func clean(_ directory: String) {
        for name in names(in: directory) where name.hasPrefix("sluice-") {
            let folder = "\(directory)/\(name)"
            let lock = open(folder + "/lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard lock >= 0 else { continue }
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { remove(folder) }
            close(lock)
        }
    }

    private static func remove(_ folder: String) {
        for name in names(in: folder) where name == "lock" || name.hasSuffix(".segment") || name.hasSuffix(".part") {
            unlink("\(folder)/\(name)")
        }
        rmdir(folder)
    }

    private static func names(in directory: String) -> [String] {
        guard let list = opendir(directory) else { return [] }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list), names.count < 1_000_000 {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}
