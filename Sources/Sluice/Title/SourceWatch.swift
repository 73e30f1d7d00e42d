import SluiceCore
import SluiceDataflow
import SluiceTransport

/// Whether the source of a title is still what it was when it was planned.
final class SourceWatch: Sendable {
    private struct State {
        var looked: ContinuousClock.Instant
        var change: NodeFailure?
    }

    /// A look is believed for this long.
    static let freshness = Duration.seconds(1)

    private let source: String
    private let identity: String?
    private let transport: TransportOptions
    private let clock: any TimeSource
    private let state: Locked<State>

    init(source: String, identity: String?, transport: TransportOptions, clock: any TimeSource) {
        self.source = source
        self.identity = identity
        self.transport = transport
        self.clock = clock
        state = Locked(State(looked: clock.now))
    }

    /// What was found at the last look.
    var change: NodeFailure? { state.withLock { $0.change } }

    /// Notes a failure that a producer met.
    func note(_ failure: NodeFailure) {
        guard failure.code == .sourceChanged || failure.code == .notFound else { return }
        state.withLock { if $0.change == nil { $0.change = failure } }
    }

    /// Looks at a file again unless that was done a moment ago; nil while nothing has changed.
    ///
    /// - Parameter always: whether even a moment is too long.
    func look(always: Bool = false) -> NodeFailure? {
        guard !source.contains("://") else { return change }
        guard isDue(always) else { return change }
        let found: NodeFailure?
        do throws(NodeFailure) {
            let file = try FileSource(path: source)
            defer { file.close() }
            found = difference(file.identity)
        } catch { found = error.code == .notFound ? gone(error) : nil }
        return conclude(found)
    }

    /// The same for a source of any kind: asks a remote one, which may take a while.
    func lookFar() async -> NodeFailure? {
        guard source.contains("://") else { return look(always: true) }
        guard identity != nil, isDue(false) else { return change }
        let (source, transport) = (source, transport)
        let now: Result<String?, NodeFailure>
        do throws(NodeFailure) {
            now = .success(
                try await BlockingThreads.shared.run { () throws(NodeFailure) -> String? in
                    let bytes = try Transport.open(source, options: transport)
                    defer { bytes.close() }
                    return bytes.identity
                })
        } catch { now = .failure(error) }
        switch now {
        case .success(let found): return conclude(found == nil ? nil : difference(found))
        // A server that is busy now says nothing about what it has.
        case .failure(let failure): return conclude(failure.code == .notFound ? gone(failure) : nil)
        }
    }

    private func isDue(_ always: Bool) -> Bool {
        let now = clock.now
        return state.withLock { state in
            guard state.change == nil, always || state.looked.duration(to: now) >= Self.freshness else { return false }
            state.looked = now
            return true
        }
    }

    private func difference(_ found: String?) -> NodeFailure? {
        guard let identity, found != identity else { return nil }
        return NodeFailure(.sourceChanged, "the source is another one than was planned; load the master playlist again")
    }

    private func gone(_ failure: NodeFailure) -> NodeFailure { NodeFailure(.sourceChanged, failure.message) }

    private func conclude(_ found: NodeFailure?) -> NodeFailure? {
        state.withLock { state in
            if state.change == nil { state.change = found }
            return state.change
        }
    }
}
