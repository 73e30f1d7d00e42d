import SluiceCore

/// What a request for something of a subtitle track comes to.
enum SubtitleAnswer<Value: Sendable>: Sendable {
    case ready(Value)
    /// Not read yet; says what.
    case pending(String)
    case failed(NodeFailure)

    func map<Other: Sendable>(_ transform: (Value) -> Other) -> SubtitleAnswer<Other> {
        switch self {
        case .ready(let value): .ready(transform(value))
        case .pending(let reason): .pending(reason)
        case .failed(let failure): .failed(failure)
        }
    }
}
