/// The sample tables of one track of an MP4 or MOV file, unpacked. Times are ticks of the track's own timescale.
///
/// - Note: ISO/IEC 14496-12 §8.6, §8.7.
public struct SampleTable: Sendable, Hashable {
    public struct Edit: Sendable, Hashable {
        /// In ticks of the movie's timescale.
        public var duration: Int64
        /// First media time that is presented, or -1 for a stretch of nothing.
        public var mediaTime: Int64
    }

    public var trackID: UInt32 = 0
    public var timescale: UInt32 = 0
    /// `vide`, `soun`, …
    public var handler: FourCC = "    "
    /// Type of the first sample entry.
    public var entry: FourCC = "    "
    /// Sample entries in all: more than one means that the configuration changes.
    public var entryCount = 0
    public var edits: [Edit] = []
    /// Decode time of each sample, before edits.
    public var decodeTimes: [Int64] = []
    /// Presentation minus decode time of each sample; empty where they are equal throughout.
    public var compositionOffsets: [Int32] = []
    public var sizes: [UInt32] = []
    /// Byte offset of each sample in the file.
    public var offsets: [Int64] = []
    /// Numbers of the sync samples, from 0, ascending; nil where the file has no table: then all are.
    public var syncSamples: [Int]?
    /// What the last sample lasts.
    public var lastDuration: Int64 = 0

    public var count: Int { sizes.count }

    public func presentationTime(_ sample: Int) -> Int64 {
        decodeTimes[sample] &+ (compositionOffsets.isEmpty ? 0 : Int64(compositionOffsets[sample]))
    }
}
