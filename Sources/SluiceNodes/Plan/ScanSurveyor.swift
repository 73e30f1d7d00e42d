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
        var survey = try state.finished()
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
    /// Units that are looked at for the first one of each stream, from now on.
    private var unitsLeft: [Int]
    private var inspector: PictureInspector?
    private let enhancement: StreamID?
    /// The first RPUs of the enhancement layer, behind lengths.
    private var firstRPUs: [UInt8] = []
    private var sets: [[UInt8]] = []
    /// MP4 counts its index in decode times, others in presentation times.
    private let indexesDecodeTimes: Bool
    private var clock: SeamDetector?
    private var flaggedKeys = 0
    private var flaggedWrongly = 0
    /// By stream index.
    private var laces: [LaceRule?]
    /// What the container and the pictures say of the order, one each.
    private var pictures: [StampRule.Picture] = []
    private var corruptPictures = 0
    /// Samples that hold more than one picture.
    private var doublePictures = 0
    /// Pictures between random access points that replace a parameter set.
    private var changingPictures = 0
    /// Distance of pictures in a source without times.
    private let period: Timebase?

    init(
        _ streams: [StreamFormat], _ formatName: String, _ selection: StreamSelection, enhancement: StreamID? = nil
    ) {
        self.enhancement = enhancement
        survey = SourceSurvey(formatName: formatName, streams: streams, selection: selection, basis: .scan)
        video = selection.video?.index ?? -1
        unitsLeft = streams.map { FirstUnitRule.applies(to: $0) ? FirstUnitRule.attempts : 0 }
        tracks = streams.map { format in
            format.id == selection.video || selection.audio.contains(format.id) ? SurveyedTrack(format: format) : nil
        }
        laces = streams.map { LaceRule($0, formatName) }
        inspector = streams.first { $0.id == selection.video }.map { PictureInspector($0) }
        let isCounted = PictureStamps.isCounted(formatName) && selection.video != nil && selection.audio.isEmpty
        let declared = streams.first { $0.id == selection.video }?.video?.framePeriod
        period = isCounted ? declared ?? PictureStamps.defaultPeriod : nil
        indexesDecodeTimes = !formatName.hasPrefix("matroska")
        if SeamDetector.applies(to: formatName) {
            clock = SeamDetector(streams, master: selection.video ?? selection.audio.first)
        }
    }

    mutating func add(_ packet: Packet, _ ordinal: UInt32) {
        let index = packet.stream.index
        if packet.stream == enhancement { return addEnhancement(packet) }
        guard tracks.indices.contains(index), let format = tracks[index]?.format else { return }
        // Dropped on the line as well.
        let (presentation, decode) = (packet.presentationTicks, packet.decodeTicks)
        if PlacementRule.isWild(presentation: presentation, decode: decode, format.timebase) { return }
        if index == video, packet.isCutOff(survey.formatName) || join(packet) { return }
        let stamp = time(packet, number: tracks[index]?.count ?? 0)
        guard let time = laces[index]?.stamp(stamp, position: packet.filePosition) ?? stamp else {
            if index == video { survey.unplacedPictures += 1 }
            return
        }
        if index == video {
            if packet.presentationTicks == nil, period == nil { survey.unplacedPictures += 1 }
            if packet.isCorrupt { corruptPictures += 1 }
            if packet.withUnsafeBytes({ inspector?.holdsTwoPictures($0) ?? false }) { doublePictures += 1 }
            addPicture(packet, time, ordinal, number: tracks[index]?.count ?? 0)
        }
        if unitsLeft[index] > 0 {
            unitsLeft[index] -= 1
            if let head = packet.withUnsafeBytes({ FirstUnitRule.head(survey.streams[index], $0) }) {
                survey.firstUnits[packet.stream] = head
                unitsLeft[index] = 0
            }
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

    /// RPUs are joined to the pictures; the rest of the layer is not served.
    private mutating func addEnhancement(_ packet: Packet) {
        let format = survey.streams[packet.stream.index]
        let framed = packet.withUnsafeBytes { EnhancementRule.framed(EnhancementRule.rpus($0, format), nil) }
        guard !framed.isEmpty else { return }
        if firstRPUs.isEmpty { firstRPUs = Array(framed.prefix(FirstUnitRule.limit)) }
        guard let last = tracks.indices.contains(video) ? tracks[video]?.sizes.indices.last : nil else { return }
        tracks[video]?.sizes[last] &+= UInt32(clamping: framed.count)
        survey.byteCount &+= Int64(framed.count)
    }

    private func time(_ packet: Packet, number: Int) -> Int64? {
        guard packet.stream.index == video, let period, let format = tracks[video]?.format else {
            return packet.presentationTicks ?? packet.decodeTicks
        }
        return Int64(number).rescaled(from: period, to: format.timebase)
    }

    /// Whether the packet belongs to the picture before, which then has it.
    private mutating func join(_ packet: Packet) -> Bool {
        let place = packet.withUnsafeBytes { inspector?.place($0) }
        let continues = place?.continues ?? false
        if continues { survey.joinsPackets = true }
        // Nothing was before it: it belongs to no picture.
        if continues, pictures.isEmpty { return true }
        guard continues, let last = pictures.indices.last, let size = tracks[video]?.sizes.last else {
            pictures.append(
                StampRule.Picture(
                    presentation: packet.presentationTicks, decode: packet.decodeTicks, order: place?.order))
            if packet.presentationTicks == nil, packet.decodeTicks == nil, period == nil { pictures.removeLast() }
            return false
        }
        tracks[video]?.sizes[last] = size &+ UInt32(clamping: packet.byteCount)
        survey.byteCount &+= Int64(packet.byteCount)
        if inspector?.codec == .vp9, let shown = packet.presentationTicks {
            tracks[video]?.times[last] = shown
            pictures[last].presentation = shown
        }
        return true
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
            if inspector?.hasSets == true, !survey.points.isEmpty { takeMore(packet) }
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

    /// Picture sets with a new number belong to the configuration that holds; others would need another one where none can
    /// begin.
    private mutating func takeMore(_ packet: Packet) {
        guard let inspector, let last = survey.sets.indices.last else { return }
        let found = packet.withUnsafeBytes { inspector.parameterSets($0) }
        var isChanging = false
        for set in found where !sets.contains(set) {
            guard ParameterSetRule.isAddition(set, to: sets, codec: inspector.codec) else {
                isChanging = true
                continue
            }
            sets.append(set)
            survey.sets[last] = sets
        }
        if isChanging { changingPictures += 1 }
    }

    /// - Throws: `.malformedInput` where most pictures are damaged, `.unsupported` where their times are.
    mutating func finished() throws(NodeFailure) -> SourceSurvey {
        guard corruptPictures <= max(8, pictures.count / 4) else {
            throw NodeFailure(
                .malformedInput,
                "stream \(video): \(corruptPictures) of \(pictures.count) pictures are incomplete in the source")
        }
        guard doublePictures * 100 <= pictures.count else {
            throw NodeFailure(
                .malformedInput,
                "stream \(video): \(doublePictures) of \(pictures.count) samples hold two pictures; expected one each")
        }
        guard changingPictures <= max(4, pictures.count / StampRule.tolerance) else {
            throw NodeFailure(
                .unsupported,
                "stream \(video): \(changingPictures) of \(pictures.count) pictures change parameter sets between random access points"
            )
        }
        survey.epochs = clock?.epochs() ?? []
        for index in tracks.indices {
            guard var track = tracks[index] else { continue }
            if !survey.epochs.isEmpty {
                let shifter = TrackClock(
                    source: track.format.timebase, timescale: 1, origin: Timestamp(0, track.format.timebase),
                    epochs: survey.epochs)
                for sample in track.times.indices {
                    track.times[sample] = shifter.shifted(track.times[sample], position: track.positions[sample])
                    guard index == video else { continue }
                    let position = track.positions[sample]
                    pictures[sample].presentation = pictures[sample].presentation.map {
                        shifter.shifted($0, position: position)
                    }
                    pictures[sample].decode = pictures[sample].decode.map { shifter.shifted($0, position: position) }
                }
            }
            track.positions = []
            if index == video { try settle(&track) }
            survey.tracks[track.format.id] = track
        }
        if !firstRPUs.isEmpty {
            survey.enhancement = enhancement
            survey.firstUnits[StreamID(video), default: []] += firstRPUs
        }
        if let framing = inspector?.framing { survey.framings[StreamID(video)] = framing }
        survey.ignoresKeyFlags = flaggedWrongly > 0
        return survey
    }

    /// Decides where the times of the pictures come from.
    private mutating func settle(_ track: inout SurveyedTrack) throws(NodeFailure) {
        if let period {
            survey.pictureStamps = .counted(period: period)
            return
        }
        let points = survey.points.map(\.number)
        let isMovie = survey.formatName.hasPrefix("mov") && !survey.joinsPackets
        if isMovie, let ladder = ladder(track.format, points) {
            var walk = LadderWalk(ladder, track.format.timebase)
            let places = pictures.map { walk.place($0.presentation, $0.order) }
            if places.allSatisfy({ $0 != nil }) {
                (survey.pictureStamps, survey.unplacedPictures) = (.ladder(ladder), 0)
                track.times = places.compactMap(\.self)
                return
            }
        }
        guard let stamps = StampRule.judge(pictures, points: points, isMovie: isMovie) else {
            let count = max(StampRule.contradictions(pictures), survey.unplacedPictures)
            throw NodeFailure(
                .unsupported,
                "stream \(video): \(count) of \(pictures.count) pictures are stamped against their own order or not at all"
            )
        }
        survey.pictureStamps = stamps
        if stamps.arePlaces { survey.unplacedPictures = 0 }
        if case .decode(let stretches) = stamps {
            track.times = zip(pictures, track.times).map {
                PictureStamps.place(stretches, presentation: $0.presentation, decode: $0.decode) ?? $1
            }
        }
    }

    /// Where the writer of the file has pushed stamps.
    private func ladder(_ format: StreamFormat, _ points: [Int]) -> PictureLadder? {
        guard StampRule.contradictions(pictures) >= StampRule.leastContradictions else { return nil }
        let coded = survey.sets.first.flatMap { ParameterSetRule.period($0, codec: inspector?.codec ?? .other) }
        return ClampRule.ladder(
            pictures, points: points, format.timebase, stated: [coded, format.video?.framePeriod].compactMap(\.self))
    }
}
