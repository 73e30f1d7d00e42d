import SluiceAV
import SluiceBitstream
import SluiceCore

/// Surveys a source by reading all its packets; payloads are not kept, and only the heads of pictures are looked at.
///
/// Blocks; it runs on a thread that may.
struct ScanSurveyor {
    /// Samples of a stream beyond which a source is refused: 2^32 ordinals would not be enough.
    static let sampleLimit = 64_000_000

    /// Called now and then with the end of what was surveyed, in nanoseconds of the source's clock.
    var progress: (Int64) -> Void = { _ in }

    /// - Throws: the source's failure, `.malformedInput` where nothing of the selection was found.
    func survey(
        _ reader: inout FormatReader, selection: StreamSelection, identity: String?
    ) throws(NodeFailure) -> SourceSurvey {
        let streams = reader.streams
        let enhancement = EnhancementRule.companion(streams, of: selection.video, reader.formatName)
        reader.select(Set([selection.video, enhancement].compactMap(\.self) + selection.audio))
        // A fresh reader knows the same index after its first seek; what the scan adds to it must not count.
        if reader.formatName.hasPrefix("matroska") { try reader.loadIndex() }
        let indexed = Set(selection.video.map { reader.keyframeIndex($0).map(\.ticks) } ?? [])
        if reader.formatName.hasPrefix("matroska") {
            reader.trustContainer()
            try reader.rewind()
        }
        var state = ScanState(streams, reader.formatName, selection, enhancement: enhancement)
        var ordinal: UInt32 = 0
        while let packet = try reader.readPacket() { try Self.add(packet, to: &state, &ordinal, progress) }
        var survey = try state.finished()
        survey.identity = identity
        survey.indexed = indexed
        guard survey.tracks.values.contains(where: { $0.count > 0 }) else {
            throw NodeFailure(.malformedInput, "no packet of the streams that would be served")
        }
        return survey
    }

    /// The next packet in the order in which a demuxer hands them out.
    ///
    /// - Throws: `.limitExceeded` beyond ``sampleLimit`` packets.
    static func add(
        _ packet: Packet, to state: inout ScanState, _ ordinal: inout UInt32, _ progress: (Int64) -> Void
    ) throws(NodeFailure) {
        state.add(packet, ordinal)
        ordinal &+= 1
        guard ordinal & 0xFFF == 0 else { return }
        progress(packet.timelinePosition ?? 0)
        guard Int(ordinal) < sampleLimit else {
            throw NodeFailure(.limitExceeded, "more than \(sampleLimit) packets")
        }
    }
}
