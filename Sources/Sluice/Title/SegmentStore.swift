import SluiceCore

/// Finished files in memory, under one budget for the whole server.
///
/// What was used longest ago leaves first. Initialization sections are small and stay with their title.
public final class SegmentStore: Sendable {
    struct Entry {
        var chunks: [ByteChunk]
        var bytes: Int
        var lastUse: UInt64
    }

    private struct Key: Hashable {
        var title: String
        var segment: SegmentKey
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var bytes = 0
        var clock: UInt64 = 0
    }

    /// In bytes.
    public let budget: Int
    private let state = Locked(State())

    /// - Parameter budget: bytes kept at most; one segment more while it is put in.
    public init(budget: Int = 256 << 20) { self.budget = max(1, budget) }

    public var bytes: Int { state.withLock { $0.bytes } }
    public var count: Int { state.withLock { $0.entries.count } }

    func find(_ title: String, _ segment: SegmentKey) -> [ByteChunk]? {
        state.withLock { state in
            state.clock += 1
            let key = Key(title: title, segment: segment)
            guard let found = state.entries[key] else { return nil }
            state.entries[key]?.lastUse = state.clock
            return found.chunks
        }
    }

    /// - Parameter keep: indices of this title that must stay, because somebody waits for them or soon will.
    func put(_ title: String, _ segment: SegmentKey, _ chunks: [ByteChunk], keep: ClosedRange<Int>) {
        let dropped: [Entry] = state.withLock { state in
            state.clock += 1
            let key = Key(title: title, segment: segment)
            let bytes = chunks.byteTotal
            if let old = state.entries[key] { state.bytes -= old.bytes }
            state.entries[key] = Entry(chunks: chunks, bytes: bytes, lastUse: state.clock)
            state.bytes += bytes
            return trim(&state, title, keep)
        }
        // Freed outside the lock: a segment holds hundreds of packets.
        withExtendedLifetime(dropped) {}
    }

    func forget(title: String) {
        let dropped: [Entry] = state.withLock { state in
            let keys = state.entries.keys.filter { $0.title == title }
            return keys.compactMap { key in
                guard let entry = state.entries.removeValue(forKey: key) else { return nil }
                state.bytes -= entry.bytes
                return entry
            }
        }
        withExtendedLifetime(dropped) {}
    }

    private func trim(_ state: inout State, _ title: String, _ keep: ClosedRange<Int>) -> [Entry] {
        guard state.bytes > budget else { return [] }
        var dropped: [Entry] = []
        for (key, entry) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard state.bytes > budget else { break }
            guard case .media(let index) = key.segment.role else { continue }
            if key.title == title, keep.contains(index) { continue }
            state.entries[key] = nil
            state.bytes -= entry.bytes
            dropped.append(entry)
        }
        return dropped
    }
}
