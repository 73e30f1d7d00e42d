public import SluiceCore

/// One sample of a media segment: its fields of `trun` and where its bytes are.
public struct FragmentSample: Sendable {
    /// Ticks until the next sample's decode time.
    public var duration: UInt32
    /// Presentation time minus decode time, in ticks; may be negative.
    public var compositionOffset: Int32
    /// Whether decoding can start here.
    public var isSync: Bool
    public var dependency: Dependency
    /// The sample's bytes, in order; never copied.
    public var chunks: [ByteChunk]

    /// - Parameter dependency: nil states what `isSync` implies.
    public init(
        duration: UInt32, compositionOffset: Int32 = 0, isSync: Bool, dependency: Dependency? = nil,
        chunks: [ByteChunk]
    ) {
        self.duration = duration
        self.compositionOffset = compositionOffset
        self.isSync = isSync
        self.dependency = dependency ?? Dependency(dependsOn: isSync ? .no : .yes)
        self.chunks = chunks
    }

    /// Bytes of the sample.
    public var size: Int { chunks.byteTotal }

    /// What the sample needs and who needs it.
    ///
    /// - Note: ISO/IEC 14496-12 §8.6.4.3.
    public struct Dependency: Sendable, Hashable {
        public enum Answer: UInt8, Sendable, Hashable {
            case unknown = 0
            case yes = 1
            case no = 2
        }
        public var isLeading: UInt8 = 0
        /// Whether it depends on others.
        public var dependsOn: Answer
        /// Whether others depend on it; `no` marks a disposable sample.
        public var isDependedOn: Answer

        public init(dependsOn: Answer, isDependedOn: Answer = .unknown) {
            self.dependsOn = dependsOn
            self.isDependedOn = isDependedOn
        }
    }

    /// The 32 bits of sample flags.
    ///
    /// - Note: ISO/IEC 14496-12 §8.8.3.1.
    public var flags: UInt32 {
        UInt32(dependency.isLeading & 3) << 26 | UInt32(dependency.dependsOn.rawValue) << 24
            | UInt32(dependency.isDependedOn.rawValue) << 22 | (isSync ? 0 : 0x1_0000)
    }
}

/// The samples of one track in one fragment.
public struct TrackFragment: Sendable {
    public var trackID: UInt32
    /// Decode time of the first sample, in ticks of the track's timescale, counted from the title's origin.
    public var decodeTime: UInt64
    public var samples: [FragmentSample]

    public init(trackID: UInt32, decodeTime: UInt64, samples: [FragmentSample]) {
        self.trackID = trackID
        self.decodeTime = decodeTime
        self.samples = samples
    }
}
