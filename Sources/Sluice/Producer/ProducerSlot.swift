import SluiceCore

/// Where one producer of a title is. Pure.
struct ProducerSlot: Sendable {
    let id: Int
    /// Nil until the graph is built.
    var run: ProducerRun?
    /// Index that the run was started at or last moved to; nil where that is not known or it has ended.
    private(set) var anchor: Int?
    /// Last index published in order since then, by rendition.
    private(set) var fronts: [String: Int] = [:]
    /// The furthest index that somebody asked for; -1 where nobody did.
    private(set) var furthest: Int
    /// Segments it may run ahead of that.
    private(set) var window: Int
    private let reach: ReachPolicy
    /// When a viewer last got something from here; nil before.
    var lastServed: ContinuousClock.Instant?

    init(id: Int, anchor: Int, reach: ReachPolicy = ReachPolicy()) {
        self.id = id
        self.reach = reach
        window = reach.firstWindow
        self.anchor = anchor
        furthest = anchor
    }

    /// Index that a rendition gets next; nil while nothing is on its way.
    func next(_ rendition: String) -> Int? { anchor.map { fronts[rendition].map { $0 + 1 } ?? $0 } }

    mutating func move(to index: Int) {
        anchor = index
        fronts = [:]
        furthest = index
        window = reach.firstWindow
    }

    mutating func ask(for index: Int) {
        guard index > furthest else { return }
        furthest = index
        window = reach.widened(window)
    }

    /// The last index that may be produced now.
    var limit: Int { furthest < 0 ? -1 : furthest + window }

    /// What an earlier position left in the line says nothing of where this one is.
    mutating func published(_ rendition: String, _ index: Int) {
        if next(rendition) == index { fronts[rendition] = index }
    }

    /// The run came to its end.
    mutating func ended() {
        anchor = nil
        fronts = [:]
    }

    /// Nobody wants anything: whatever it is doing, it may not go on.
    mutating func halt() {
        ended()
        furthest = -1
    }
}
