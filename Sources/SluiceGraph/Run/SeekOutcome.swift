public import SluiceCore

/// How a seek ended. Every seek has exactly one.
public enum SeekOutcome: Sendable, Hashable {
    /// All landing sinks have a payload of the new epoch; the time is the earliest of their firsts, nil where the
    /// epoch holds nothing but its end.
    case landed(Timestamp?)
    /// A later seek took its place.
    case superseded
    /// Nothing arrived within the deadline; it may still land, as a `lateLanding` event.
    case stalled
    case rejected(String)
}

/// A seek of one runner, numbered from 1.
public struct SeekID: Sendable, Hashable {
    public let number: UInt64
}
