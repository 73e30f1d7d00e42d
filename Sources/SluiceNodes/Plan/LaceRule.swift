import SluiceBitstream
import SluiceCore

/// Stamps for the frames of a Matroska block that holds several and stamps the first. Every seek leads to a whole block,
/// so that a frame gets the same stamp whoever reads it.
///
/// - Note: RFC 9559 §10.3 (lacing).
struct LaceRule {
    /// Samples of a frame, and the rate they are counted at.
    private let samples: Int64
    private let rate: Timebase
    private let source: Timebase
    private var block: (position: Int64, stamp: Int64)?
    private var count: Int64 = 0

    /// Nil where frames carry their own stamps, or last differently.
    init?(_ format: StreamFormat, _ formatName: String) {
        guard formatName.hasPrefix("matroska"), format.type == .audio,
            let (samples, rate) = Self.frame(format), samples > 0, let hertz = Int32(exactly: rate), hertz > 0
        else { return nil }
        self.samples = Int64(samples)
        self.rate = Timebase(hertz: hertz)
        source = format.timebase
    }

    /// - Parameters:
    ///   - stamp: the frame's own, in source ticks.
    ///   - position: byte offset of its block.
    /// - Returns: nil where neither the frame nor its block is stamped.
    mutating func stamp(_ stamp: Int64?, position: Int64?) -> Int64? {
        if let stamp {
            block = position.map { ($0, stamp) }
            count = 0
            return stamp
        }
        guard let block, block.position == position else { return nil }
        count &+= 1
        let distance = count.multipliedReportingOverflow(by: samples)
        guard !distance.overflow else { return nil }
        return block.stamp &+ distance.partialValue.rescaled(from: rate, to: source)
    }

    /// Samples of every frame of a stream, and the rate they are counted at; nil where frames differ or nobody says.
    static func frame(_ format: StreamFormat) -> (samples: Int, rate: Int)? {
        switch format.codec {
        case "alac": return ALACConfiguration(format.extradata).map { ($0.frameSamples, $0.sampleRate) }
        case "aac": return AudioSpecificConfig(format.extradata).map { ($0.frameSamples, $0.sampleRate) }
        case "flac":
            return FLACStreamInfo(format.extradata).flatMap {
                $0.minimumBlock == $0.maximumBlock ? ($0.maximumBlock, $0.sampleRate) : nil
            }
        case "ac3", "eac3": return format.audio.map { (AC3Frame.samples, $0.sampleRate) }
        case "opus": return nil
        default: return format.audio.flatMap { audio in audio.frameSize.map { ($0, audio.sampleRate) } }
        }
    }
}
