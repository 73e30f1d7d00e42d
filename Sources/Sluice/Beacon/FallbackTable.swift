import SluiceCore

/// The tier of each viewer. What a player's decoder or display refuses it refuses in every title, so the claim is left
/// out for the viewer; that it wants a media playlist is remembered for the title.
final class FallbackTable: Sendable {
    private struct Viewer {
        var isPlain = false
        /// Titles by name, the latest last.
        var media: [String] = []
        var lastUse: UInt64
    }

    /// Viewers, and titles of each, remembered at most; those used longest ago go first.
    static let limit = 1_000
    static let titleLimit = 32

    private struct State {
        var viewers: [String: Viewer] = [:]
        var uses: UInt64 = 0
    }

    private let state = Locked(State())

    func tier(_ viewer: String, title: String) -> FallbackTier {
        state.withLock { state in
            guard var known = state.viewers[viewer] else { return .full }
            state.uses += 1
            known.lastUse = state.uses
            state.viewers[viewer] = known
            return known.media.contains(title) ? .media : (known.isPlain ? .plain : .full)
        }
    }

    func set(_ tier: FallbackTier, _ viewer: String, title: String) {
        guard tier != .full else { return }
        state.withLock { state in
            state.uses += 1
            if state.viewers[viewer] == nil, state.viewers.count >= Self.limit,
                let oldest = state.viewers.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.viewers[oldest.key] = nil
            }
            var known = state.viewers[viewer] ?? Viewer(lastUse: state.uses)
            known.lastUse = state.uses
            switch tier {
            case .full: break
            case .plain: known.isPlain = true
            case .media:
                known.media.removeAll { $0 == title }
                known.media.append(title)
                if known.media.count > Self.titleLimit { known.media.removeFirst() }
            }
            state.viewers[viewer] = known
        }
    }

    var count: Int { state.withLock { $0.viewers.count } }
}
