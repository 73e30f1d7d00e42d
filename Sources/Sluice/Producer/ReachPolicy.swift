/// Whether a producer gets to a segment by itself or has to be moved. Pure.
struct ReachPolicy: Sendable, Hashable {
    /// Segments ahead of its front that a producer reaches sooner than a move would pay.
    var reach = 8
    /// Segments it may run ahead of the furthest want.
    var forwardWindow = 10

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

    /// The last index that may be produced now.
    func limit(furthestWant: Int) -> Int { furthestWant + forwardWindow }
}
