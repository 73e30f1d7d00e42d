import Foundation
import Glibc
import SluiceCore

/// Memory as a byte source, with faults on demand.
final class MemorySource: ByteSource {
    enum Fault: Sendable {
        /// Reads at or past the offset fail.
        case failing(at: Int64, NodeFailure)
        /// A read at or past the offset acts as if the source had been interrupted while it waited.
        case interrupted(at: Int64)
    }

    private struct State {
        var interrupted = false
        var fault: Fault?
        var reads = 0
    }

    private let bytes: [UInt8]
    private let state: Locked<State>
    let isSeekable: Bool
    private let declaresSize: Bool
    private let declaredSize: Int64?

    init(_ bytes: [UInt8], isSeekable: Bool = true, declaresSize: Bool = true, size: Int64? = nil, fault: Fault? = nil)
    {
        self.bytes = bytes
        self.isSeekable = isSeekable
        self.declaresSize = declaresSize
        declaredSize = size
        state = Locked(State(fault: fault))
    }

    convenience init(contentsOf path: String) throws {
        self.init([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    }

    var size: Int64? { declaresSize ? declaredSize ?? Int64(bytes.count) : nil }
    var identity: String? { nil }
    var readCount: Int { state.withLock { $0.reads } }
    func setFault(_ fault: Fault?) { state.withLock { $0.fault = fault } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NodeFailure) -> Int {
        let failure = state.withLock { state -> NodeFailure? in
            state.reads += 1
            switch state.fault {
            case .failing(let limit, let failure) where offset + Int64(buffer.count) > limit: return failure
            case .interrupted(let limit) where offset >= limit: state.interrupted = true
            default: break
            }
            return state.interrupted ? NodeFailure(.cancelled, "interrupted") : nil
        }
        if let failure { throw failure }
        guard offset < bytes.count else { return 0 }
        let count = min(buffer.count, bytes.count - Int(offset))
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + count]))
        }
        return count
    }

    func interrupt() { state.withLock { $0.interrupted = true } }
    func resume() { state.withLock { $0.interrupted = false } }
    func close() { interrupt() }
}

/// A local file, read in place.
final class DiskSource: ByteSource {
    private let descriptor: Int32
    let size: Int64?
    let isSeekable = true
    let identity: String? = nil

    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw NodeFailure(.notFound, path) }
        var status = stat()
        fstat(descriptor, &status)
        size = Int64(status.st_size)
    }

    deinit { _ = Glibc.close(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NodeFailure) -> Int {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        guard count >= 0 else { throw NodeFailure(.transport, "pread") }
        return count
    }

    func interrupt() {}
    func resume() {}
    func close() {}
}
