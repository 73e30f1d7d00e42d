import SluiceAV
import SluiceBitstream
import SluiceCore

/// Surveys an MP4 or MOV file from its sample tables; of the media only the heads of random access points are read.
///
/// Which samples there are, and their decode times, comes from the demuxer's own index, because that is what it will
/// hand out after edits; presentation times and the truth about pictures come from the file. Blocks.
struct TableSurveyor {
    /// Bytes read of a picture to find its first slice: parameter sets and messages come before it.
    static let headBytes = 4_096
    static let wholeLimit = 8 << 20
    static let probePackets = 512
    /// Pictures whose order is compared with their times where the tables say that there is no reordering.
    ///
    /// - Note: behaviours RP-12, RP-20.
    static let sampledPictures = 64

    let source: any ByteSource
    let target: Duration
    /// Whether random access points are looked at. Without, they count as open wherever a picture is presented before
    /// them, and parameter sets as constant.
    var looksAtPictures = true

    /// - Throws: `.unsupported` where the tables do not tell everything: fragments, several edits or configurations.
    func survey(
        _ reader: inout FormatReader, selection: StreamSelection, identity: String?, movie: [UInt8]
    ) throws(NodeFailure) -> SourceSurvey {
        let tables = try SampleTableReader.tables(movie: movie)
        var survey = SourceSurvey(
            formatName: reader.formatName, identity: identity, streams: reader.streams, selection: selection,
            basis: .sampleTables)
        let served = (selection.video.map { [$0] } ?? []) + selection.audio
        reader.select(Set(served))
        var skipped: [StreamID: Int] = [:]
        let shifts = try shifts(&reader, served, tables, &skipped)
        for id in served {
            guard let shift = shifts[id] else {
                throw NodeFailure(.unsupported, "stream \(id.index): no packet at the place that the tables name")
            }
            let entries = reader.index(of: id)
            survey.tracks[id] = try track(survey.streams[id.index], entries, tables[id.index], shift)
            survey.tracks[id]?.skippedStart = skipped[id] ?? 0
            if id == selection.video { try addPoints(&survey, id, entries) }
            if let first = entries.first, FirstUnitRule.applies(to: survey.streams[id.index]) {
                let count = min(max(0, first.size), FirstUnitRule.reach(survey.streams[id.index]))
                let bytes = try MovieBox.bytes(source, at: first.position, count: count)
                survey.firstUnits[id] = bytes.withUnsafeBytes { FirstUnitRule.head(survey.streams[id.index], $0) }
            }
        }
        if let video = selection.video { try checkOrder(survey, video, reader.index(of: video)) }
        try reader.rewind()
        return survey
    }

    /// Files of careless writers have no composition offsets, or wrong ones: then every picture is to be looked at.
    ///
    /// - Throws: `.unsupported` where the first pictures contradict their times, or pictures share one.
    private func checkOrder(
        _ survey: SourceSurvey, _ video: StreamID, _ entries: [IndexEntry]
    ) throws(NodeFailure) {
        guard looksAtPictures, let track = survey.tracks[video] else { return }
        let doubts = NodeFailure(
            .unsupported, "stream \(video.index): the tables give pictures times against their order")
        guard Set(track.times).count == track.count else { throw doubts }
        let inspector = PictureInspector(track.format, framing: survey.framings[video])
        guard inspector.counter != nil else { return }
        let decodes = entries.map(\.ticks)
        for range in OffsetDoubtRule.ranges(track.times, decodes, points: survey.points.map(\.number)) {
            // Each group declares its order anew.
            var inspector = inspector
            var pictures: [StampRule.Picture] = []
            for number in range.prefix(Self.sampledPictures) {
                let entry = entries[number]
                let bytes = try MovieBox.bytes(
                    source, at: entry.position, count: min(max(0, entry.size), Self.headBytes))
                let order = bytes.withUnsafeBytes { inspector.place($0).order }
                pictures.append(StampRule.Picture(presentation: track.times[number], decode: nil, order: order))
            }
            guard StampRule.contradictions(pictures) == 0 else { throw doubts }
        }
    }

    /// Presentation time minus (index time + composition offset): what edits and negative offsets amount to.
    private func shifts(
        _ reader: inout FormatReader, _ served: [StreamID], _ tables: [SampleTable], _ skipped: inout [StreamID: Int]
    ) throws(NodeFailure) -> [StreamID: Int64] {
        for id in served {
            guard tables.indices.contains(id.index), reader.streams.indices.contains(id.index) else {
                throw NodeFailure(.unsupported, "\(tables.count) tracks; stream \(id.index) is not among them")
            }
            let (table, format) = (tables[id.index], reader.streams[id.index])
            let isSame = format.timebase == Timebase(hertz: Int32(clamping: table.timescale))
            guard isSame, table.handler == (format.type == .video ? "vide" : "soun") else {
                throw NodeFailure(.unsupported, "track \(table.trackID) is not stream \(id.index)")
            }
            guard table.entryCount == 1, table.edits.count(where: { $0.mediaTime >= 0 }) <= 1 else {
                throw NodeFailure(.unsupported, "track \(table.trackID) has several configurations or edits")
            }
        }
        var shifts: [StreamID: Int64] = [:]
        for _ in 0..<Self.probePackets where shifts.count < served.count {
            guard let packet = try reader.readPacket() else { break }
            let id = packet.stream
            guard shifts[id] == nil, tables.indices.contains(id.index), let position = packet.filePosition,
                let time = packet.presentationTicks, let decode = packet.decodeTicks,
                let sample = tables[id.index].offsets.prefix(4_096).firstIndex(of: position)
            else { continue }
            let table = tables[id.index]
            let offset = table.compositionOffsets.isEmpty ? 0 : Int64(table.compositionOffsets[sample])
            shifts[id] = time &- decode &- offset
            skipped[id] = packet.skippedSamples?.start
        }
        return shifts
    }

    private func track(
        _ format: StreamFormat, _ entries: [IndexEntry], _ table: SampleTable, _ shift: Int64
    ) throws(NodeFailure) -> SurveyedTrack {
        var track = SurveyedTrack(format: format)
        track.times.reserveCapacity(entries.count)
        track.sizes.reserveCapacity(entries.count)
        var sample = 0
        for entry in entries {
            // Edits may leave out samples at either end; both lists are in coding order.
            while sample < table.count, table.offsets[sample] != entry.position { sample += 1 }
            guard sample < table.count else {
                throw NodeFailure(
                    .unsupported,
                    "stream \(format.id.index): the demuxer's sample at byte \(entry.position) is not in the tables")
            }
            let end = entry.position.addingReportingOverflow(Int64(table.sizes[sample]))
            guard !end.overflow, source.size.map({ end.partialValue <= $0 }) ?? true else {
                throw NodeFailure(
                    .unsupported, "stream \(format.id.index): the file ends before sample \(sample) of \(table.count)")
            }
            let offset = table.compositionOffsets.isEmpty ? 0 : Int64(table.compositionOffsets[sample])
            let time = entry.ticks &+ offset &+ shift
            guard !PlacementRule.isWild(presentation: time, decode: entry.ticks, format.timebase) else {
                throw NodeFailure(
                    .unsupported,
                    "stream \(format.id.index): sample \(sample) is presented at \(time), decoded at \(entry.ticks)"
                )
            }
            track.times.append(time)
            track.sizes.append(table.sizes[sample])
            sample += 1
        }
        track.lastDuration = max(0, table.lastDuration)
        return track
    }

    // MARK: - Pictures

    private func addPoints(
        _ survey: inout SourceSurvey, _ video: StreamID, _ entries: [IndexEntry]
    ) throws(NodeFailure) {
        guard let track = survey.tracks[video], !entries.isEmpty else { return }
        var inspector = PictureInspector(track.format)
        _ = try look(&inspector, entries[0], whole: true)
        if let framing = inspector.framing { survey.framings[video] = framing }
        let flagged = entries.indices.filter { entries[$0].isKeyframe }
        survey.hasLooked = looksAtPictures
        let isTrusted = flagged.count > 1 && trusts(flagged.map { entries[$0].ticks }, track)
        var sets: [[UInt8]] = []
        for number in isTrusted ? flagged : Array(entries.indices) {
            let entry = entries[number]
            let (kind, found): (PictureKind, [[UInt8]]) =
                looksAtPictures || !isTrusted ? try look(&inspector, entry, whole: false) : (.intra, [])
            if kind.isRandomAccessPoint != entry.isKeyframe { survey.ignoresKeyFlags = true }
            guard kind.isRandomAccessPoint else { continue }
            let held = sets.isEmpty ? ParameterSetRule.sets(track.format.extradata, codec: inspector.codec) : sets
            let merged = ParameterSetRule.merged(held, with: found, codec: inspector.codec)
            if survey.sets.isEmpty || merged != sets { survey.sets.append(merged) }
            sets = merged
            survey.points.append(
                SurveyedPoint(
                    number: number, kind: kind, position: entry.position, seekTicks: entry.ticks,
                    sets: survey.sets.count - 1))
        }
        try countLeading(&survey, track, entries, &inspector)
    }

    /// Which of the leading pictures of a clean random access point can be decoded from it on.
    private func countLeading(
        _ survey: inout SourceSurvey, _ track: SurveyedTrack, _ entries: [IndexEntry],
        _ inspector: inout PictureInspector
    ) throws(NodeFailure) {
        guard inspector.codec == .hevc, looksAtPictures else { return }
        for index in survey.points.indices where survey.points[index].kind != .idr {
            let point = survey.points[index]
            let end = index + 1 < survey.points.count ? survey.points[index + 1].number : entries.count
            for number in (point.number + 1)..<max(end, point.number + 1) {
                guard track.times[number] < track.times[point.number] else { break }
                if try look(&inspector, entries[number], whole: false).0 == .decodableLeading {
                    survey.points[index].decodableLeading += 1
                }
            }
        }
    }

    /// A table whose points lie too far apart for a title was not written with care.
    private func trusts(_ keys: [Int64], _ track: SurveyedTrack) -> Bool {
        let limit = max(target.nanoseconds * 4, 30_000_000_000)
        return zip(keys, keys.dropFirst()).allSatisfy { earlier, later in
            (later &- earlier).rescaled(from: track.format.timebase, to: .nanoseconds) <= limit
        }
    }

    private func look(
        _ inspector: inout PictureInspector, _ entry: IndexEntry, whole: Bool
    ) throws(NodeFailure) -> (PictureKind, [[UInt8]]) {
        let size = max(0, entry.size)
        var count = min(size, whole ? Self.wholeLimit : Self.headBytes)
        while true {
            let bytes = try MovieBox.bytes(source, at: entry.position, count: count)
            let kind = bytes.withUnsafeBytes { inspector.look($0, isFlagged: entry.isKeyframe, size: size) }
            let isCut = count < min(size, 1 << 20)
            // Messages longer than what was read hide the slice behind them.
            if isCut, kind == .dependent, entry.isKeyframe {
                count = min(size, 1 << 20)
                continue
            }
            let sets = kind.isRandomAccessPoint ? bytes.withUnsafeBytes { inspector.parameterSets($0) } : []
            return (kind, sets)
        }
    }
}
