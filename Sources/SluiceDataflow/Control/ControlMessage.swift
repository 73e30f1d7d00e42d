public import SluiceCore

/// Where a seek wants to go.
public enum SeekTarget: Sendable, Hashable {
    /// A point on the output timeline.
    case time(Timestamp)
    /// The start of a segment of the plan.
    case segment(Int)
}

/// A seek as sources see it.
public struct SeekRequest: Sendable, Hashable {
    /// Everything sent from now on belongs to this epoch.
    public var epoch: Epoch
    public var target: SeekTarget
    public init(epoch: Epoch, target: SeekTarget) {
        self.epoch = epoch
        self.target = target
    }
}

/// A message to one node, delivered between two items.
public enum ControlMessage: Sendable, Hashable {
    case seek(SeekRequest)
    /// Only options that their descriptor calls mutable.
    case setOption(name: String, value: OptionValue)
    /// To sources: send end of stream and stay alive.
    case finish
}
