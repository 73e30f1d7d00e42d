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
        reader.select(Set((selection.video.map { [$0] } ?? []) + selection.audio))
        // A fresh reader knows the same index after its first seek; what the scan adds to it must not count.
        if reader.formatName.hasPrefix("matroska") { try reader.rewind() }
        let indexed = Set(selection.video.map { reader.keyframeIndex($0).map(\.ticks) } ?? [])
        var state = ScanState(streams, reader.formatName, selection)
        var ordinal: UInt32 = 0
        while let packet = try reader.readPacket() {
            state.add(packet, ordinal)
            ordinal &+= 1
            if ordinal & 0xFFF == 0 {
                progress(packet.timelinePosition ?? 0)
                guard Int(ordinal) < Self.sampleLimit else {
                    throw NodeFailure(.limitExceeded, "more than \(Self.sampleLimit) packets")
                }
            }
        }
        var survey = state.finished()
        survey.identity = identity
        survey.indexed = indexed
        guard survey.tracks.values.contains(where: { $0.count > 0 }) else {
            throw NodeFailure(.malformedInput, "no packet of the streams that would be served")
        }
        return survey
    }
}

/// What a scan has seen so far.
struct ScanState {
    private var survey: SourceSurvey
    /// By stream index, so that no packet costs a hash.
    private var tracks: [SurveyedTrack?]
    private let video: Int
    /// Streams whose first unit was not seen yet.
    private var needsUnit: [Bool]
    private var inspector: PictureInspector?
    private var sets: [[UInt8]] = []
    /// MP4 counts its index in decode times, others in presentation times.
    private let indexesDecodeTimes: Bool
    private var clock: SeamDetector?
    private var flaggedKeys = 0
    private var flaggedWrongly = 0
    private var leadingFrom: Int64 = .min
    /// By stream index.
    private var laces: [LaceRule?]

    init(_ streams: [StreamFormat], _ formatName: String, _ selection: StreamSelection) {
        survey = SourceSurvey(formatName: formatName, streams: streams, selection: selection, basis: .scan)
        video = selection.video?.index ?? -1
        needsUnit = streams.map { FirstUnitRule.applies(to: $0) }
        tracks = streams.map { format in
            format.id == selection.video || selection.audio.contains(format.id) ? SurveyedTrack(format: format) : nil
        }
        laces = streams.map { LaceRule($0, formatName) }
        inspector = streams.first { $0.id == selection.video }.map { PictureInspector($0) }
        indexesDecodeTimes = !formatName.hasPrefix("matroska")
        if SeamDetector.applies(to: formatName) {
            clock = SeamDetector(streams, master: selection.video ?? selection.audio.first)
        }
    }

    mutating func add(_ packet: Packet, _ ordinal: UInt32) {
        let index = packet.stream.index
        guard tracks.indices.contains(index), let format = tracks[index]?.format else { return }
        // Dropped on the line as well.
        let (presentation, decode) = (packet.presentationTicks, packet.decodeTicks)
        if PlacementRule.isWild(presentation: presentation, decode: decode, format.timebase) { return }
        let stamp = presentation ?? decode
        guard let time = laces[index]?.stamp(stamp, position: packet.filePosition) ?? stamp else {
            if index == video { survey.unplacedPictures += 1 }
            return
        }
        if index == video {
            if packet.presentationTicks == nil { survey.unplacedPictures += 1 }
            addPicture(packet, time, ordinal, number: tracks[index]?.count ?? 0)
        }
        if needsUnit[index], let head = packet.withUnsafeBytes({ FirstUnitRule.head(survey.streams[index], $0) }) {
            survey.firstUnits[packet.stream] = head
            needsUnit[index] = false
        }
        if clock != nil {
            let position = packet.filePosition ?? tracks[index]?.positions.last ?? 0
            clock?.add(stream: index, time: packet.decodeTicks ?? time, presentation: time, position: position)
            tracks[index]?.positions.append(position)
        }
        if index != video, packet.hasSideData || tracks[index]?.skippedEnd != 0 {
            let skipped = packet.skippedSamples
            if tracks[index]?.count == 0 { tracks[index]?.skippedStart = skipped?.start ?? 0 }
            tracks[index]?.skippedEnd = skipped?.end ?? 0
        }
        tracks[index]?.times.append(time)
        tracks[index]?.sizes.append(UInt32(clamping: packet.byteCount))
        tracks[index]?.ordinals.append(ordinal)
        if packet.durationTicks > 0 { tracks[index]?.lastDuration = packet.durationTicks }
        survey.byteCount &+= Int64(packet.byteCount)
    }

    private mutating func addPicture(_ packet: Packet, _ time: Int64, _ ordinal: UInt32, number: Int) {
        let isFlagged = packet.isKeyframe
        guard let kind = packet.withUnsafeBytes({ inspector?.look($0, isFlagged: isFlagged) }) else { return }
        if isFlagged { flaggedKeys += 1 }
        if isFlagged != kind.isRandomAccessPoint { flaggedWrongly += 1 }
        guard kind.isRandomAccessPoint else {
            if kind == .decodableLeading, let last = survey.points.indices.last {
                survey.points[last].decodableLeading += 1
            }
            return
        }
        takeParameterSets(packet)
        survey.points.append(
            SurveyedPoint(
                number: number, kind: kind, position: packet.filePosition,
                seekTicks: indexesDecodeTimes ? packet.decodeTicks ?? time : time, sets: survey.sets.count - 1))
    }

    /// A picture that brings other sets than those that hold opens a new configuration; one without any keeps it.
    private mutating func takeParameterSets(_ packet: Packet) {
        var found = packet.withUnsafeBytes { inspector?.parameterSets($0) ?? [] }
        if packet.hasSideData, let record = packet.newExtradata {
            found = ParameterSetRule.sets(record, codec: inspector?.codec ?? .other) + found
        }
        let declared =
            sets.isEmpty
            ? ParameterSetRule.sets(survey.streams[video].extradata, codec: inspector?.codec ?? .other) : sets
        let merged = ParameterSetRule.merged(declared, with: found, codec: inspector?.codec ?? .other)
        if survey.sets.isEmpty || merged != sets {
            if let known = survey.sets.last, known == merged { return }
            survey.sets.append(merged)
        }
        sets = merged
    }

    mutating func finished() -> SourceSurvey {
        survey.epochs = clock?.epochs() ?? []
        for index in tracks.indices {
            guard var track = tracks[index] else { continue }
            if !survey.epochs.isEmpty {
                let shifter = TrackClock(
                    source: track.format.timebase, timescale: 1, origin: Timestamp(0, track.format.timebase),
                    epochs: survey.epochs)
                for sample in track.times.indices {
                    track.times[sample] = shifter.shifted(track.times[sample], position: track.positions[sample])
                }
            }
            track.positions = []
            survey.tracks[track.format.id] = track
        }
        if let framing = inspector?.framing { survey.framings[StreamID(video)] = framing }
        survey.ignoresKeyFlags = flaggedWrongly > 0
        return survey
    }
}
