import SluiceCore
import SluiceTransport

/// A file of lines that several threads may add to; it appears under its name when it is complete.
///
/// Lines are gathered to blocks of 64 KiB, so that a node that records does not wait for the disk at every packet.
final class LineFile: Sendable {
    private struct State {
        /// Nil when it was committed or discarded.
        var file: OutputFile?
        var buffer: [UInt8] = []
        var failure: NodeFailure?
    }

    private static let block = 65_536
    private let state: Locked<State>

    /// Throws as ``OutputFile`` does.
    init(path: String, inputs: [String]) throws(NodeFailure) {
        let file = try OutputFile(path: path, inputs: inputs)
        state = Locked(State(file: file))
    }

    /// Adds `line` and a line feed. A failure to write is kept for ``commit()``.
    func add(_ line: String) {
        state.withLock { state in
            state.buffer.append(contentsOf: line.utf8)
            state.buffer.append(0x0A)
            if state.buffer.count >= Self.block { Self.write(&state) }
        }
    }

    /// Gives the file its name. Throws the first failure to write.
    func commit() throws(NodeFailure) {
        try state.withLock { (state: inout State) throws(NodeFailure) in
            Self.write(&state)
            if let failure = state.failure { throw failure }
            try state.file?.commit()
            state.file = nil
        }
    }

    /// Removes what was written. Needed before the process ends, because a node may still hold the file.
    func discard() {
        let file = state.withLock { state in
            state.buffer = []
            defer { state.file = nil }
            return state.file
        }
        _ = file
    }

    private static func write(_ state: inout State) {
        guard state.failure == nil, !state.buffer.isEmpty else { return }
        do throws(NodeFailure) { try state.file?.write([ByteChunk(state.buffer)]) } catch { state.failure = error }
        state.buffer.removeAll(keepingCapacity: true)
    }
}
