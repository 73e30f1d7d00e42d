/// An EC3SpecificBox payload: `dec3`.
///
/// - Note: ETSI TS 102 366 Annex F.6; the object audio tail: ETSI TS 103 420 §8.3.
public struct EAC3Configuration: Sendable, Hashable {
    /// One independent substream and the dependent ones that belong to it.
    public struct Substream: Sendable, Hashable {
        public var rateCode: UInt8
        public var streamID: UInt8
        public var mode: UInt8
        public var channelMode: UInt8
        public var hasLowFrequency: Bool
        public var dependents: UInt8 = 0
        /// Nine bits: locations that dependent substreams add.
        public var dependentLocations: UInt16 = 0
    }

    /// Thousands of bits a second.
    public var dataRate: Int
    public var substreams: [Substream]
    /// nil where no frame carries object audio.
    public var objectComplexity: UInt8?

    /// From the frames of one access unit (one sample); nil where it holds no independent substream.
    ///
    /// - Parameter bitRate: bits a second; nil derives it from the frame sizes.
    public init?(_ bytes: UnsafeRawBufferPointer, bitRate: Int? = nil) {
        let frames = Self.frames(in: bytes)
        guard let first = frames.first, first.kind != .dependent else { return nil }
        substreams = []
        for frame in frames {
            if let index = frame.objectComplexity { objectComplexity = index }
            if frame.kind == .dependent {
                let last = substreams.count - 1
                substreams[last].dependents = min(substreams[last].dependents + 1, 15)
                substreams[last].dependentLocations |= Self.locations(frame)
            } else if substreams.count < 8 {
                substreams.append(
                    Substream(
                        rateCode: frame.rateCode, streamID: frame.streamID, mode: frame.mode,
                        channelMode: frame.channelMode, hasLowFrequency: frame.hasLowFrequency))
            }
        }
        let size = frames.reduce(0) { $0 + $1.frameSize }
        // Substream 0 returns where several frames of less than six blocks make one sample.
        let samples = frames.filter { $0.kind != .dependent && $0.substream == first.substream }
            .reduce(0) { $0 + $1.samples }
        let measured = samples > 0 ? size * 8 * first.sampleRate / samples : 0
        dataRate = (bitRate ?? measured) / 1_000
        Self.mergeRepeats(&substreams, frames: frames)
    }

    /// From an access unit held as bytes.
    public init?(_ bytes: [UInt8], bitRate: Int? = nil) {
        guard let parsed = bytes.withUnsafeBytes({ Self($0, bitRate: bitRate) }) else { return nil }
        self = parsed
    }

    /// Frames at the front of `bytes`; at most 64, stops at what is no frame.
    public static func frames(in bytes: UnsafeRawBufferPointer) -> [EAC3Frame] {
        var list: [EAC3Frame] = []
        var offset = 0
        while list.count < 64, offset < bytes.count,
            let frame = EAC3Frame(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        {
            list.append(frame)
            offset += frame.frameSize
        }
        return list
    }

    /// Keeps the first appearance of each independent substream.
    private static func mergeRepeats(_ substreams: inout [Substream], frames: [EAC3Frame]) {
        var seen: Set<UInt8> = []
        let ids = frames.filter { $0.kind != .dependent }.prefix(8).map(\.substream)
        substreams = zip(ids, substreams).filter { seen.insert($0.0).inserted }.map(\.1)
    }

    /// `chan_loc` from `chanmap`: locations 5 to 8 and 10 to 14 in nine bits.
    ///
    /// - Note: ETSI TS 102 366 table F.6.1; bit 0 is Lc/Rc, bit 8 the second LFE.
    private static func locations(_ frame: EAC3Frame) -> UInt16 {
        guard let map = frame.channelMap else { return 0 }
        var locations: UInt16 = 0
        for (bit, location) in [5, 6, 7, 8, 9, 10, 11, 12, 14].enumerated() as EnumeratedSequence<[UInt16]>
        where map >> (15 - location) & 1 == 1 {
            locations |= 1 << UInt16(bit)
        }
        return locations
    }

    /// Channels of the first programme with its dependent substreams; objects are not counted.
    public var channels: Int {
        guard let first = substreams.first else { return 0 }
        return DolbyChannels.count(mode: first.channelMode) + (first.hasLowFrequency ? 1 : 0)
            + DolbyChannels.count(locations: first.dependentLocations)
    }

    /// The payload of `dec3`.
    public var bytes: [UInt8] {
        var writer = BitWriter()
        writer.u(UInt32(min(max(dataRate, 0), 0x1FFF)), 13)
        writer.u(UInt32(max(substreams.count, 1) - 1), 3)
        for substream in substreams.prefix(8) {
            writer.u(UInt32(substream.rateCode), 2)
            writer.u(UInt32(substream.streamID), 5)
            writer.u(0, 2)
            writer.u(UInt32(substream.mode), 3)
            writer.u(UInt32(substream.channelMode), 3)
            writer.flag(substream.hasLowFrequency)
            writer.u(0, 3)
            writer.u(UInt32(substream.dependents), 4)
            if substream.dependents > 0 {
                writer.u(UInt32(substream.dependentLocations), 9)
            } else {
                writer.u(0, 1)
            }
        }
        if let objectComplexity {
            writer.u(1, 8)
            writer.u(UInt32(objectComplexity), 8)
        }
        return writer.bytes
    }
}
