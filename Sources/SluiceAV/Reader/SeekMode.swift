/// Where a seek may land.
public enum SeekMode: String, Sendable, Hashable {
    /// At the last random access point at or before the target.
    case backward
    /// At the first random access point at or after the target.
    case forward
    /// At the target itself, which the caller took from a plan or an index. A plain backward seek on a file of
    /// several streams may arrive one group of pictures early.
    case exact
}
