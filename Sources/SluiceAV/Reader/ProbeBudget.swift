/// How much of a source may be read to learn what its streams are.
public struct ProbeBudget: Sendable, Hashable {
    /// Bytes read at most; 2 KiB to 1 GiB.
    public let bytes: Int
    /// Timeline examined at most; up to an hour.
    public let analyze: Duration
    /// Whether packets are read to complete what the header leaves open. A side reader that already knows its streams
    /// does without.
    public var inspectsStreams = true
    /// Whether the end of the source may be read to estimate a duration the header does not give. Off for live
    /// sources: the attempt latches the end of the file.
    public var estimatesDuration = true

    /// Sparse subtitle streams of a 20 GB rip begin late, so the library's own defaults (5 MB, 5 s) miss them.
    public static let defaultBytes = 50 << 20
    public static let defaultAnalyze = Duration.seconds(60)

    public static let playback = ProbeBudget()

    /// A bound that is absent, or that cannot be used, leaves the default in force and does not touch the other.
    ///
    /// An analysis of zero is one of those: the library takes it as "a shorter guess", not as "none".
    public init(bytes: Int? = nil, analyze: Duration? = nil) {
        self.bytes = bytes.flatMap { (2_048...(1 << 30)).contains($0) ? $0 : nil } ?? Self.defaultBytes
        self.analyze = analyze.flatMap { $0 > .zero && $0 <= .seconds(3_600) ? $0 : nil } ?? Self.defaultAnalyze
    }
}
