/// Whether a producer gets to a segment by itself or has to be moved. Pure.
struct ReachPolicy: Sendable, Hashable {
    /// Segments ahead of its front that a producer reaches sooner than a move would pay.
    var reach = 8
    /// Segments it may run ahead of the furthest want, once its viewer has gone forward for a while.
    var forwardWindow = 10
    /// The same right after a move: who jumps once may jump again. Doubled with every step forward.
    var firstWindow = 1

    enum Decision: Equatable {
        case wait
        case move
    }

    /// - Parameters:
    ///   - next: index that the producer publishes next; nil while it is not running or has ended.
    func decide(wanted: Int, next: Int?) -> Decision {
        guard let next, wanted >= next, wanted <= next + reach else { return .move }
        return .wait
    }

    /// The window after one more step forward.
    func widened(_ window: Int) -> Int { min(forwardWindow, max(1, window) * 2) }
}
