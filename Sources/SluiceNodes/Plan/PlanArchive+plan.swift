import SluiceBitstream
import SluiceCore

extension ArchiveWriter {
    mutating func plan(_ plan: TitlePlan) {
        text(plan.basis.rawValue)
        number(Int64(plan.timescale))
        number(plan.end)
        flag(plan.isProvisional)
        list(plan.segments) { $0.segment($1) }
    }

    mutating func segment(_ segment: PlannedSegment) {
        number(segment.start)
        optional(segment.decodeStart) { $0.number($1) }
        switch segment.anchor {
        case .head: number(0)
        case .index(let stream, let ticks):
            number(1)
            number(stream.index)
            number(ticks)
        case .byte(let offset):
            number(2)
            number(offset)
        }
        optional(segment.kind) { $0.number(Int64($1.rawValue)) }
        optional(segment.isClosed) { $0.flag($1) }
        number(segment.version)
        flag(segment.isDiscontinuous)
        list(segment.tracks) { writer, track in
            writer.optional(track.start) { $0.number($1) }
            writer.optional(track.end) { $0.number($1) }
            writer.number(track.bytes)
            writer.number(track.samples)
        }
    }

    mutating func timebase(_ timebase: Timebase) {
        number(Int64(timebase.numerator))
        number(Int64(timebase.denominator))
    }

    mutating func clock(_ clock: TrackClock) {
        timebase(clock.source)
        number(Int64(clock.timescale))
        number(clock.origin.ticks)
        timebase(clock.origin.timebase)
        list(clock.grids) { writer, grid in
            writer.number(grid.from)
            writer.number(grid.period)
            writer.number(grid.phase)
            writer.number(grid.tolerance)
        }
        list(clock.epochs) { writer, epoch in
            writer.number(epoch.position)
            writer.number(epoch.shift)
        }
    }

    mutating func facts(_ facts: TitleFacts) {
        text(facts.formatName)
        optional(facts.identity) { $0.text($1) }
        list(facts.streams) { $0.stream($1) }
        optional(facts.video) { $0.number($1.index) }
        list(facts.audio) { $0.number($1.index) }
        number(facts.origin.ticks)
        timebase(facts.origin.timebase)
        optional(facts.framePeriod) { $0.timebase($1) }
        optional(facts.peakPeriod) { $0.timebase($1) }
        list(facts.clocks.sorted { $0.key < $1.key }) { writer, entry in
            writer.number(entry.key.index)
            writer.clock(entry.value)
        }
        list(facts.framings.sorted { $0.key < $1.key }) { writer, entry in
            writer.number(entry.key.index)
            if case .lengthPrefixed(let size) = entry.value { writer.number(size) } else { writer.number(0) }
        }
        list(facts.versions) { writer, version in
            writer.blob(version.configuration)
            writer.number(version.width)
            writer.number(version.height)
            writer.number(version.piece)
        }
        list(facts.firstUnits.sorted { $0.key < $1.key }) { writer, entry in
            writer.number(entry.key.index)
            writer.blob(entry.value)
        }
        list(facts.spans.sorted { $0.key < $1.key }) { writer, entry in
            writer.number(entry.key.index)
            writer.number(entry.value.start)
            writer.number(entry.value.end)
        }
        list(facts.primings.sorted { $0.key < $1.key }) { writer, entry in
            writer.number(entry.key.index)
            writer.number(entry.value)
        }
        list(facts.tails.sorted { $0.key < $1.key }) { writer, entry in
            writer.number(entry.key.index)
            writer.number(entry.value)
        }
        number(facts.reorderDepth)
        flag(facts.ignoresKeyFlags)
        number(facts.unplacedPictures)
        flag(facts.joinsPackets)
        optional(facts.enhancement) { $0.number($1.index) }
        stamps(facts.pictureStamps)
        about(facts.about)
        list(facts.pieces) { $0.piece($1) }
    }

    private mutating func stamps(_ stamps: PictureStamps) {
        switch stamps {
        case .container: number(0)
        case .coded: number(1)
        case .decode(let stretches):
            number(2)
            list(stretches) { writer, stretch in
                writer.number(stretch.from)
                writer.optional(stretch.shift) { $0.number($1) }
            }
        case .counted(let period):
            number(3)
            timebase(period)
        case .ladder(let ladder):
            number(4)
            timebase(ladder.period)
            number(Int64(ladder.unit))
            list(ladder.rungs) { writer, rung in
                writer.number(rung.stamp)
                writer.number(rung.place)
            }
        }
    }
}

extension ArchiveReader {
    mutating func plan() -> TitlePlan? {
        guard let basis = text().flatMap({ TitlePlan.Basis(rawValue: $0) }), let timescale = small(), timescale > 0,
            let end = number(), let isProvisional = flag(), let segments = list({ $0.segment() })
        else { return nil }
        return TitlePlan(
            basis: basis, timescale: timescale, segments: segments, end: end, isProvisional: isProvisional)
    }

    mutating func segment() -> PlannedSegment? {
        guard let start = number(), let decodeStart = optional({ $0.number() }), let anchor = anchor(),
            let kind = optional({ $0.number().flatMap { UInt8(exactly: $0) }.flatMap { PictureKind(rawValue: $0) } }),
            let isClosed = optional({ $0.flag() }), let version = integer(), version >= 0,
            let isDiscontinuous = flag(), let tracks = list({ $0.track() })
        else { return nil }
        var segment = PlannedSegment(start: start, decodeStart: decodeStart, anchor: anchor)
        segment.kind = kind
        segment.isClosed = isClosed
        segment.version = version
        segment.isDiscontinuous = isDiscontinuous
        segment.tracks = tracks
        return segment
    }

    private mutating func anchor() -> ReadAnchor? {
        switch number() {
        case 0: return .head
        case 1:
            guard let stream = integer(), let ticks = number() else { return nil }
            return .index(stream: StreamID(stream), ticks: ticks)
        case 2: return number().map { .byte($0) }
        default: return nil
        }
    }

    private mutating func track() -> PlannedTrack? {
        guard let start = optional({ $0.number() }), let end = optional({ $0.number() }), let bytes = number(),
            let samples = integer()
        else { return nil }
        var track = PlannedTrack()
        (track.start, track.end, track.bytes, track.samples) = (start, end, bytes, samples)
        return track
    }

    mutating func timebase() -> Timebase? {
        guard let numerator = small(), let denominator = small() else { return nil }
        return Timebase(numerator, denominator)
    }

    mutating func streamID() -> StreamID? { integer().map { StreamID($0) } }

    mutating func clock() -> TrackClock? {
        guard let source = timebase(), let timescale = small(), timescale > 0, let origin = number(),
            let base = timebase()
        else { return nil }
        let grids = list { reader -> TrackClock.Grid? in
            guard let from = reader.number(), let period = reader.number(), let phase = reader.number(),
                let tolerance = reader.number()
            else { return nil }
            return TrackClock.Grid(from: from, period: period, phase: phase, tolerance: tolerance)
        }
        let epochs = list { reader -> ClockEpoch? in
            guard let position = reader.number(), let shift = reader.number() else { return nil }
            return ClockEpoch(position: position, shift: shift)
        }
        guard let grids, let epochs else { return nil }
        return TrackClock(
            source: source, timescale: timescale, origin: Timestamp(origin, base), grids: grids, epochs: epochs)
    }

    mutating func facts() -> TitleFacts? {
        guard let formatName = text(), let identity = optional({ $0.text() }), let streams = list({ $0.stream() }),
            let video = optional({ $0.streamID() }), let audio = list({ $0.streamID() }), let origin = number(),
            let base = timebase(), let period = optional({ $0.timebase() }), let peak = optional({ $0.timebase() })
        else { return nil }
        var facts = TitleFacts(formatName: formatName, streams: streams, origin: Timestamp(origin, base))
        (facts.identity, facts.video, facts.audio, facts.framePeriod) = (identity, video, audio, period)
        facts.peakPeriod = peak
        guard let clocks = table({ $0.clock() }), let framings = table({ $0.framing() }),
            let versions = list({ $0.parameterVersion() }), let units = table({ $0.blob() }),
            let spans = table({ $0.span() }),
            let primings = table({ $0.number() }), let tails = table({ $0.number() }), let reorderDepth = integer(),
            let ignores = flag(), let unplaced = integer(), let joins = flag(),
            let enhancement = optional({ $0.streamID() }), let stamps = stamps(), let about = about(),
            let pieces = list({ $0.piece() })
        else { return nil }
        (facts.clocks, facts.framings, facts.versions, facts.spans) = (clocks, framings, versions, spans)
        facts.firstUnits = units
        (facts.primings, facts.tails) = (primings, tails)
        (facts.reorderDepth, facts.ignoresKeyFlags, facts.unplacedPictures) = (reorderDepth, ignores, unplaced)
        (facts.joinsPackets, facts.enhancement, facts.pictureStamps) = (joins, enhancement, stamps)
        facts.about = about
        facts.pieces = pieces
        return facts
    }

    private mutating func stamps() -> PictureStamps? {
        switch number() {
        case 0: .container
        case 1: .coded
        case 2: stretches().map { .decode($0) }
        case 3: timebase().map { .counted(period: $0) }
        case 4: ladder().map { .ladder($0) }
        default: nil
        }
    }

    private mutating func stretches() -> [PictureStamps.Stretch]? {
        list { reader in
            guard let from = reader.number(), let shift = reader.optional({ $0.number() }) else { return nil }
            return PictureStamps.Stretch(from: from, shift: shift)
        }
    }

    private mutating func ladder() -> PictureLadder? {
        guard let period = timebase(), let unit = small(),
            let rungs = list({ reader -> PictureLadder.Rung? in
                guard let stamp = reader.number(), let place = reader.number() else { return nil }
                return PictureLadder.Rung(stamp: stamp, place: place)
            })
        else { return nil }
        return PictureLadder(period: period, unit: unit, rungs: rungs)
    }

    mutating func table<Value>(_ read: (inout ArchiveReader) -> Value?) -> [StreamID: Value]? {
        let entries = list { reader -> (StreamID, Value)? in
            guard let id = reader.streamID(), let value = read(&reader) else { return nil }
            return (id, value)
        }
        return entries.map { Dictionary($0, uniquingKeysWith: { first, _ in first }) }
    }

    mutating func framing() -> NALFraming? {
        integer().flatMap { $0 == 0 ? .annexB : (1...4).contains($0) ? .lengthPrefixed($0) : nil }
    }

    private mutating func parameterVersion() -> ParameterVersion? {
        guard let configuration = blob(), let width = integer(), let height = integer(), let piece = integer()
        else { return nil }
        var version = ParameterVersion(configuration: configuration, width: width, height: height)
        version.piece = piece
        return version
    }

    private mutating func span() -> StreamSpan? {
        guard let start = number(), let end = number() else { return nil }
        return StreamSpan(start: start, end: end)
    }
}
