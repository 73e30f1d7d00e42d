import SluiceAV
import SluiceBitstream
import SluiceCore

/// Frames that decode to silence, for holes in a copied sound. Only where one frame says it whatever was before.
struct Silence: Sendable, Hashable {
    /// Frames that one segment is given at most: more is no hole but a broken clock.
    static let limit: Int64 = 2_048

    let bytes: [UInt8]
    /// Ticks that it lasts; at least 1.
    let length: Int64

    /// Nil for sounds that cannot be filled: their holes stay.
    init?(_ entry: AudioSampleEntry, timescale: Int32) {
        switch entry.codec {
        case .mp4a(let record):
            guard let config = AudioSpecificConfig(record), config.objectType == 2, !config.hasShortFrames,
                let frame = Self.advanced[config.channelConfiguration], config.sampleRate > 0
            else { return nil }
            bytes = frame
            length = max(
                1, Int64(config.frameSamples).scaled(by: Int64(timescale), over: Int64(config.sampleRate)))
        case .opus(let record):
            guard let head = OpusConfiguration(box: record), head.mappingFamily == 0 else { return nil }
            // 20 ms of transform coding in full band whose frame is one byte: nothing is coded.
            bytes = [0xF8, 0xFF, 0xFE]
            length = max(1, Int64(960).scaled(by: Int64(timescale), over: 48_000))
        default: return nil
        }
    }

    /// The silence of a sound of the title; nil for pictures, and where there is none.
    ///
    /// - Parameter piece: number of the piece of the source.
    init?(_ facts: TitleFacts, _ stream: StreamID, piece: Int = 0) {
        guard stream != facts.video, facts.bridges[stream] == nil, let clock = facts.clocks[stream],
            case .audio(let entry)? = (try? TrackFactory.track(facts, stream, version: piece))?.entry
        else { return nil }
        self.init(entry, timescale: clock.timescale)
    }

    /// Frames that fit a hole best; 0 where that is none, or too many.
    func frames(in hole: Int64) -> Int64 {
        guard hole > length / 2 else { return 0 }
        let count = (hole &+ length / 2) / length
        return count <= Self.limit ? count : 0
    }

    /// Frames that fit whole; 0 where they are too many.
    func wholeFrames(in hole: Int64) -> Int64 {
        let count = max(0, hole) / length
        return count <= Self.limit ? count : 0
    }

    func sample(at time: Int64) -> TimedSample {
        TimedSample(
            presentation: time, duration: length, isSync: true, isDisposable: false, chunks: [ByteChunk(bytes)])
    }

    /// Raw data blocks of AAC-LC without a spectrum, by channel configuration.
    ///
    /// - Note: ISO/IEC 14496-3 §4.4.2.1.
    private static let advanced: [Int: [UInt8]] = [
        1: [0x00, 0xC8, 0x00, 0x80, 0x23, 0x80],
        2: [0x21, 0x00, 0x49, 0x90, 0x02, 0x19, 0x00, 0x23, 0x80],
        3: [0x00, 0xC8, 0x00, 0x80, 0x20, 0x84, 0x01, 0x26, 0x40, 0x08, 0x64, 0x00, 0x8E],
        4: [
            0x00, 0xC8, 0x00, 0x80, 0x20, 0x84, 0x01, 0x26, 0x40, 0x08, 0x64, 0x00, 0x80, 0x2C, 0x80, 0x08, 0x02, 0x38,
        ],
        5: [
            0x00, 0xC8, 0x00, 0x80, 0x20, 0x84, 0x01, 0x26, 0x40, 0x08, 0x64, 0x00, 0x82, 0x30, 0x04, 0x99, 0x00, 0x21,
            0x90, 0x02, 0x38,
        ],
    ]
}
