import SluiceAV
import SluiceBitstream
import SluiceCore

/// What a scan has seen so far.
struct ScanState {
    var survey: SourceSurvey
    /// By stream index, so that no packet costs a hash.
    var tracks: [SurveyedTrack?]
    let video: Int
    /// Units that are looked at for the first one of each stream, from now on.
    var unitsLeft: [Int]
    var inspector: PictureInspector?
    let enhancement: StreamID?
    /// The pictures have an enhancement layer among their units.
    private var hasLayer = false
    /// The first RPUs of the enhancement layer, behind lengths.
    var firstRPUs: [UInt8] = []
    var sets: [[UInt8]] = []
    /// MP4 counts its index in decode times, others in presentation times.
    let indexesDecodeTimes: Bool
    var clock: SeamDetector?
    var flaggedKeys = 0
    var flaggedWrongly = 0
    /// By stream index.
    var laces: [LaceRule?]
    /// What the container and the pictures say of the order, one each.
    var pictures: [StampRule.Picture] = []
    var corruptPictures = 0
    /// Samples that hold more than one picture.
    var doublePictures = 0
    /// Pictures between random access points that replace a parameter set.
    var changingPictures = 0
    /// Distance of pictures in a source without times.
    let period: Timebase?

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
        if index != video, clock != nil, packet.withUnsafeBytes({ FirstUnitRule.isForeign($0, to: format.codec) }) {
            survey.foreignUnits += 1
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
        let layer = index == video ? layerBytes(packet) : 0
        tracks[index]?.sizes.append(UInt32(clamping: packet.byteCount - layer))
        tracks[index]?.ordinals.append(ordinal)
        if packet.durationTicks > 0 { tracks[index]?.lastDuration = packet.durationTicks }
        survey.byteCount &+= Int64(packet.byteCount)
    }

    /// Bytes of an enhancement layer among the units of a picture: they are not served. Looked for where the first
    /// pictures have one.
    private mutating func layerBytes(_ packet: Packet) -> Int {
        let isFirst = (tracks[video]?.count ?? 0) < 8
        guard isFirst || hasLayer, survey.streams[video].codec == "hevc", let framing = inspector?.framing else {
            return 0
        }
        let bytes = packet.withUnsafeBytes { EnhancementRule.layerBytes($0, framing) }
        if bytes > 0 { hasLayer = true }
        return bytes
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
}
