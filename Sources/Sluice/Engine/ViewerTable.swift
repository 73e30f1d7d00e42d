import SluiceCore

/// Who watches what: for pacing, limits and numbers only, never for what is answered.
final class ViewerTable: Sendable {
    struct Viewer: Sendable, Hashable {
        /// Names the viewer without telling its token.
        var id: String
        var address: String
        var title: String
        /// Names the title in the store.
        var key: String
        var rendition: String
        /// Media segment asked for last; nil before the first.
        var segment: Int?
        var requests = 0
        /// Of segment bodies, ranges counted whole.
        var bytes: Int64 = 0
        /// Seconds on the title's timeline, as the player reports them; nil where it reports nothing.
        var position: Double?
        /// Whether it plays, as it reports itself.
        var isPlaying: Bool?
        var stalls = 0
        /// What the player called its last error.
        var error: String?
        var lastSeen: ContinuousClock.Instant
    }

    /// Viewers remembered at most.
    static let limit = 1_000
    /// Without a request for this long a viewer has left.
    static let patience = Duration.seconds(30)

    private let clock: any TimeSource
    private let state = Locked([String: Viewer]())

    init(clock: any TimeSource) { self.clock = clock }

    /// Somebody asks for a segment.
    func arrive(_ request: Request, title: Title, _ key: SegmentKey) {
        let id = Self.name(request)
        let now = clock.now
        state.withLock { viewers in
            if viewers[id] == nil, viewers.count >= Self.limit {
                guard let oldest = viewers.min(by: { $0.value.lastSeen < $1.value.lastSeen }) else { return }
                viewers[oldest.key] = nil
            }
            var viewer =
                viewers[id]
                ?? Viewer(
                    id: id, address: request.peer ?? "", title: title.name, key: title.key,
                    rendition: key.rendition, lastSeen: now)
            // The picture's position is the viewer's; sound alone counts where there is nothing else.
            if viewer.key != title.key || key.rendition == "video" || viewer.rendition != "video" {
                viewer.rendition = key.rendition
                if case .media(let index) = key.role { viewer.segment = index }
            }
            (viewer.title, viewer.key) = (title.name, title.key)
            viewer.requests += 1
            viewer.lastSeen = now
            viewers[id] = viewer
        }
    }

    /// A player reports of itself; those that never asked for a segment are not viewers.
    func note(_ request: Request, _ beacon: ViewerBeacon) {
        let id = Self.name(request)
        let now = clock.now
        state.withLock { viewers in
            guard var viewer = viewers[id] else { return }
            viewer.position = beacon.position ?? viewer.position
            viewer.isPlaying = beacon.isPlaying ?? viewer.isPlaying
            if beacon.event == .stall { viewer.stalls += 1 }
            if beacon.event == .error { viewer.error = beacon.code }
            viewer.lastSeen = now
            viewers[id] = viewer
        }
    }

    /// Counts what the answer carries.
    func deliver(_ request: Request, bytes: Int64) {
        let id = Self.name(request)
        state.withLock { $0[id]?.bytes &+= bytes }
    }

    /// Indices asked for last, by title as the store names it.
    var positions: [String: [Int]] {
        var positions: [String: [Int]] = [:]
        for viewer in current() {
            if let segment = viewer.segment { positions[viewer.key, default: []].append(segment) }
        }
        return positions
    }

    /// Those who are still there, the latest first.
    func current() -> [Viewer] {
        let now = clock.now
        return state.withLock { viewers in
            viewers = viewers.filter { $0.value.lastSeen.duration(to: now) < Self.patience }
            return viewers.values.sorted { ($1.lastSeen, $0.id) < ($0.lastSeen, $1.id) }
        }
    }

    /// A token names its viewer, else the client's address and program do.
    static func name(_ request: Request) -> String {
        let token = request.query.first { $0.name == "v" }?.value
        let text = "\(token ?? "")|\(request.peer ?? "")|\(request.headers["User-Agent"] ?? "")"
        return String(Checksum.of(text.utf8) & 0xFFFF_FFFF, radix: 16)
    }
}
