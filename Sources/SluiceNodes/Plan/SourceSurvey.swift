import SluiceBitstream
import SluiceCore

/// All samples of one stream, as one look through the source found them. Times are source ticks, in coding order.
struct SurveyedTrack {
    var format: StreamFormat
    /// Presentation times; clock epochs are already shifted.
    var times: [Int64] = []
    var sizes: [UInt32] = []
    /// Place of each sample in the order in which a demuxer hands out the samples of all streams.
    var ordinals: [UInt32] = []
    /// Byte offsets; kept only for sources whose clock may restart.
    var positions: [Int64] = []
    /// What the container says a sample lasts; that of the last one where they differ, 0 where it does not say.
    var lastDuration: Int64 = 0
    /// Decoded samples that the container says to drop at the start, and at the end of the last packet.
    var skippedStart = 0
    var skippedEnd = 0

    init(format: StreamFormat) { self.format = format }

    var count: Int { times.count }
}

/// A picture at which decoding can begin.
struct SurveyedPoint: Equatable {
    /// Number of the sample in its track.
    var number: Int
    var kind: PictureKind
    /// Byte offset; nil where unknown.
    var position: Int64?
    /// Where the container's index knows it, in source ticks.
    var seekTicks: Int64
    /// Number of the parameter sets that hold from here.
    var sets: Int
    /// Decodable leading pictures that follow it.
    var decodableLeading = 0
}

/// Everything a plan is made from, whatever was looked at.
struct SourceSurvey {
    var formatName: String
    var identity: String?
    var streams: [StreamFormat]
    var selection: StreamSelection
    var basis: TitlePlan.Basis
    var tracks: [StreamID: SurveyedTrack] = [:]
    /// Random access points of the picture stream in coding order.
    var points: [SurveyedPoint] = []
    /// Parameter sets in order of first use; a point's `sets` counts in them.
    var sets: [[[UInt8]]] = []
    var framings: [StreamID: NALFraming] = [:]
    /// As in the facts.
    var firstUnits: [StreamID: [UInt8]] = [:]
    var epochs: [ClockEpoch] = []
    /// Key ticks that a fresh reader finds in the container's index; empty where it has none.
    var indexed: Set<Int64> = []
    var ignoresKeyFlags = false
    /// As in the facts.
    var enhancement: StreamID?
    /// As in the facts.
    var pictureStamps = PictureStamps.container
    var joinsPackets = false
    /// Whether the points were looked at; without, their kinds are guesses.
    var hasLooked = true
    var unplacedPictures = 0
    /// Units of sound that begin otherwise than those of their coding.
    var foreignUnits = 0
    /// Empty where the streams are the same throughout.
    var pieces: [SurveyedPiece] = []
    /// Bytes of the source that were looked through, for reports.
    var byteCount: Int64 = 0
}

/// What a survey found of one piece of a source.
struct SurveyedPiece {
    var piece: SourcePiece
    /// Number of its first sample, by the title's stream.
    var firstSamples: [StreamID: Int]
    /// Number of the picture that it begins with, and of its first parameter sets.
    var opening: Int
    var firstSets: Int
}
