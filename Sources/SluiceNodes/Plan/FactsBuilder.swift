import SluiceAV
import SluiceBitstream
public import SluiceCore

/// Chooses what of a source is served and how its stamps are placed. Pure.
enum FactsBuilder {
    /// How much sooner than the first picture sound must begin to be the title's origin (decisions D23).
    static let audioLead = Duration.milliseconds(50)
    /// Sound that begins sooner than this before the first picture is cut there: renditions of a title must begin
    /// together, and recordings that begin within a group of pictures have sound for which there is none.
    static let longestLead = Duration.milliseconds(200)
    /// Configurations beyond which the sets are taken to vary without meaning.
    static let versionLimit = 64

    /// From a complete survey.
    static func facts(_ survey: SourceSurvey) -> TitleFacts {
        let picture = survey.selection.video.flatMap { survey.tracks[$0] }
        let opening = survey.points.first
        var firsts: [StreamID: Int64] = [:]
        for (id, track) in survey.tracks where track.count > 0 { firsts[id] = track.times.min() }
        if let video = survey.selection.video, let picture, let opening {
            firsts[video] = firstPresentation(picture, opening, next: survey.points.dropFirst().first)
        }
        let shown = picture.map { Array($0.times.dropFirst(opening?.number ?? 0)) } ?? []
        let cadence = picture.flatMap { provenPeriod(shown, $0.format) }
        var facts = self.facts(
            formatName: survey.formatName, identity: survey.identity, streams: survey.streams,
            selection: survey.selection, firsts: firsts, cadence: cadence)
        facts.pieces = survey.pieces.map(\.piece)
        for id in facts.served {
            guard var clock = facts.clocks[id], let track = survey.tracks[id] else { continue }
            clock.epochs = survey.epochs
            if let common = commonTimescale(facts, id) { clock.timescale = common }
            clock.grids = id == facts.video ? grids(track, clock, cadence) : grids(track, clock, survey)
            facts.clocks[id] = clock
        }
        facts.peakPeriod = cadence ?? picture.flatMap { CadenceRule.peak(shown, $0.format.timebase) }
        if facts.video == nil { PrimingRule.apply(&facts, survey.tracks) }
        facts.framings = survey.framings
        facts.firstUnits = survey.firstUnits
        facts.enhancement = survey.enhancement
        facts.ignoresKeyFlags = survey.ignoresKeyFlags
        facts.pictureStamps = survey.pictureStamps
        facts.joinsPackets = survey.joinsPackets
        facts.unplacedPictures = survey.unplacedPictures
        facts.reorderDepth = picture.map { reorderDepth($0.times) } ?? 0
        if let video = survey.selection.video, let format = facts.format(video) {
            let isVarying = survey.sets.count > versionLimit + survey.pieces.count
            let sets = isVarying ? Array(survey.sets.prefix(1)) : survey.sets
            facts.versions = sets.enumerated().map { number, sets in
                let piece = max(0, (survey.pieces.lastIndex { $0.firstSets <= number } ?? 0))
                var version = ParameterSetRule.version(sets, facts.within(piece: piece).format(video) ?? format)
                version.piece = piece
                return version
            }
        }
        return facts
    }

    /// - Parameters:
    ///   - firsts: presentation time of the first packet of each stream, in its own ticks.
    ///   - cadence: exact period of the pictures, where it is proven.
    static func facts(
        formatName: String, identity: String?, streams: [StreamFormat], selection: StreamSelection,
        firsts: [StreamID: Int64], cadence: Timebase?
    ) -> TitleFacts {
        let origin = origin(streams, selection, firsts)
        var facts = TitleFacts(formatName: formatName, streams: streams, origin: origin)
        facts.identity = identity
        facts.video = selection.video
        facts.audio = selection.audio
        facts.framePeriod = cadence
        for id in facts.served {
            guard let format = facts.format(id) else { continue }
            var clock = TrackClock(source: format.timebase, timescale: timescale(format, cadence), origin: origin)
            if let first = firsts[id], let period = period(format, [], cadence, clock),
                needsGrid(format.timebase, clock, period)
            {
                clock.grids = [
                    TrackClock.Grid(
                        period: period, phase: clock.output(first), tolerance: tolerance(format.timebase, clock))
                ]
            }
            facts.clocks[id] = clock
        }
        return facts
    }

    // MARK: - Private

    /// The first picture that a player can show: leading pictures of an opening IDR can be decoded, others cannot.
    static func firstPresentation(
        _ picture: SurveyedTrack, _ opening: SurveyedPoint, next: SurveyedPoint?
    ) -> Int64 {
        let start = picture.times[opening.number]
        guard opening.kind == .idr || opening.kind == .keyFrame else { return start }
        let group = picture.times[opening.number..<min(next?.number ?? picture.count, picture.count)]
        return group.min() ?? start
    }

    private static func origin(
        _ streams: [StreamFormat], _ selection: StreamSelection, _ firsts: [StreamID: Int64]
    ) -> Timestamp {
        func first(_ id: StreamID) -> Timestamp? {
            guard let ticks = firsts[id], let format = streams.first(where: { $0.id == id }) else { return nil }
            return Timestamp(ticks, format.timebase)
        }
        let sound = selection.audio.compactMap(first).min()
        guard let picture = selection.video.flatMap(first) else { return sound ?? Timestamp(0, .microseconds) }
        guard let sound else { return picture }
        let lead = picture.nanoseconds.subtractingReportingOverflow(sound.nanoseconds)
        guard !lead.overflow else { return picture }
        let kept = audioLead.nanoseconds...longestLead.nanoseconds
        return kept.contains(lead.partialValue) && lead.partialValue > audioLead.nanoseconds ? sound : picture
    }

    /// The exact period of pictures that follow one.
    private static func provenPeriod(_ times: [Int64], _ format: StreamFormat) -> Timebase? {
        let effective = StampGranularity.effective(times, format.timebase)
        return CadenceRule.period(
            StampGranularity.ticks(times, format.timebase, effective: effective), effective,
            declared: [format.video?.framePeriod].compactMap(\.self))
    }

    private static func grids(_ track: SurveyedTrack, _ clock: TrackClock, _ cadence: Timebase?) -> [TrackClock.Grid] {
        let effective = StampGranularity.effective(track.times, track.format.timebase)
        guard let period = period(track.format, track.times, cadence, clock) else { return [] }
        // Milliseconds say exactly where frames of Opus lie, but not where the first one does, half a millisecond early.
        let isShifted = track.format.codec == "opus" && isCoarse(track.format.timebase)
        guard isShifted || needsGrid(effective, clock, period) else { return [] }
        let sorted = track.times.sorted()
        let tolerance = tolerance(effective, clock)
        let found = GridRule.grids(sorted, clock: clock, period: period, tolerance: tolerance)
        guard found.isEmpty, track.format.type == .audio else { return found }
        // Spectral band replication halves or doubles what the container calls a frame.
        for other in [period * 2, period / 2] {
            let found = GridRule.grids(sorted, clock: clock, period: other, tolerance: tolerance)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Sound that others take over from: each piece has a grid of its own.
    private static func grids(_ track: SurveyedTrack, _ clock: TrackClock, _ survey: SourceSurvey) -> [TrackClock.Grid]
    {
        guard survey.pieces.count > 1 else { return grids(track, clock, nil) }
        let firsts = survey.pieces.indices.dropFirst().compactMap { number in
            survey.pieces[number].firstSamples[track.format.id].map { (number, $0) }
        }
        var list: [TrackClock.Grid] = []
        var (piece, begin) = (0, 0)
        for (next, end) in firsts + [(0, track.count)] where begin <= end && end <= track.count {
            var part = track
            let formats = survey.pieces[piece].piece.formats
            part.format = formats.first { $0.id == track.format.id } ?? track.format
            part.times = Array(track.times[begin..<end])
            var found = grids(part, clock, nil)
            if piece > 0, !found.isEmpty, let earliest = part.times.min() { found[0].from = earliest }
            list += found
            (piece, begin) = (next, end)
        }
        return list
    }

    /// Ticks a second that samples of all rates of a sound are whole numbers of; nil where there is one rate.
    private static func commonTimescale(_ facts: TitleFacts, _ id: StreamID) -> Int32? {
        let formats = facts.pieces.indices.compactMap { facts.within(piece: $0).format(id) }
        let rates = Set(formats.compactMap { $0.audio?.sampleRate }.filter { $0 > 0 })
        guard rates.count > 1 else { return nil }
        func divisor(_ one: Int, _ other: Int) -> Int { other == 0 ? one : divisor(other, one % other) }
        let common = rates.reduce(1) { $0 / divisor($0, $1) * $1 }
        return Int32(exactly: common) ?? 90_000
    }

    /// Whether stamps of this granularity cannot say exactly where samples of this period lie.
    static func needsGrid(_ stamps: Timebase, _ clock: TrackClock, _ period: Int64) -> Bool {
        let ticks = Int128(period) * Int128(stamps.denominator)
        return ticks % (Int128(clock.timescale) * Int128(stamps.numerator)) != 0
    }

    /// The rounding of the stamp and of the origin, half a tick each, on the output clock.
    static func tolerance(_ stamps: Timebase, _ clock: TrackClock) -> Int64 {
        Int64(1).rescaled(from: stamps, to: clock.timebase, rounding: .up)
    }

    /// - Parameter times: of the samples; empty where nobody has looked.
    private static func period(
        _ format: StreamFormat, _ times: [Int64], _ cadence: Timebase?, _ clock: TrackClock
    ) -> Int64? {
        switch format.type {
        case .video: return cadence.map { Int64(1).rescaled(from: $0, to: clock.timebase) }
        case .audio where format.codec == "opus": return opusPeriod(times, clock)
        case .audio:
            return samples(format, clock)
        default: return nil
        }
    }

    /// What frames of Opus last: containers do not say, but it is mostly the same for all of them.
    private static func opusPeriod(_ times: [Int64], _ clock: TrackClock) -> Int64? {
        guard let first = times.min(), let last = times.max(), times.count > 1 else { return nil }
        let (span, overflow) = last.subtractingReportingOverflow(first)
        guard !overflow, clock.timescale == 48_000 else { return nil }
        return opusFrame(near: span.rescaled(from: clock.source, to: clock.timebase) / Int64(times.count - 1))
    }

    /// The length of a frame of Opus that is nearest to so many ticks of 48 kHz: a multiple of 2.5 ms, at most 120 ms.
    ///
    /// - Note: RFC 6716 §2.1.4.
    static func opusFrame(near ticks: Int64) -> Int64? {
        let step: Int64 = 120
        let (raised, overflow) = ticks.addingReportingOverflow(step / 2)
        let whole = raised / step * step
        return !overflow && (step...5_760).contains(whole) ? whole : nil
    }

    /// Ticks of a frame of sound; nil where nobody says how long it is. Nearly always its samples, because the track's
    /// timescale is the sample rate.
    static func samples(_ format: StreamFormat, _ clock: TrackClock) -> Int64? {
        let coded = format.codec == "flac" || format.codec == "alac" ? LaceRule.frame(format)?.samples : nil
        guard let audio = format.audio, let size = coded ?? audio.frameSize, size > 0 else { return nil }
        guard audio.sampleRate > 0, audio.sampleRate != Int(clock.timescale) else { return Int64(size) }
        return max(1, Int64(size).scaled(by: Int64(clock.timescale), over: Int64(audio.sampleRate)))
    }

    /// How many pictures at most are decoded before one that is presented ahead of them.
    static func reorderDepth(_ times: [Int64]) -> Int {
        var depth = 0
        var recent: [Int64] = []
        for time in times {
            depth = max(depth, recent.count { $0 > time })
            recent.append(time)
            if recent.count > 32 { recent.removeFirst() }
        }
        return min(depth, 16)
    }

    /// A millisecond or coarser.
    private static func isCoarse(_ timebase: Timebase) -> Bool {
        Int64(timebase.denominator) <= Int64(timebase.numerator) * 1_000
    }

    /// Ticks a second of a track: such that every stamp of it is a whole number.
    private static func timescale(_ format: StreamFormat, _ cadence: Timebase?) -> Int32 {
        if format.type == .audio, let rate = format.audio?.sampleRate, rate > 0 { return Int32(clamping: rate) }
        if let cadence, cadence.denominator % cadence.numerator != 0 || isCoarse(format.timebase) {
            if cadence.denominator >= 1_000 { return cadence.denominator }
            let factor = (1_000 + cadence.denominator - 1) / cadence.denominator
            return cadence.denominator * factor
        }
        if format.timebase.numerator == 1, (1_000...1_000_000).contains(format.timebase.denominator) {
            // A clock of milliseconds is refined, so that its own rounding is not rounded again.
            return format.timebase.denominator == 1_000 ? 90_000 : format.timebase.denominator
        }
        return 90_000
    }
}

/// Which streams of a source are served by copying.
public struct StreamSelection: Sendable, Hashable {
    public var video: StreamID?
    public var audio: [StreamID]

    public init(video: StreamID?, audio: [StreamID]) {
        self.video = video
        self.audio = audio
    }

    /// The picture that is the default or the first, and every sound in container order, the default first.
    public init(_ streams: [StreamFormat]) {
        func ranked(_ type: MediaType) -> [StreamID] {
            let members = streams.filter { $0.type == type && $0.parked == nil }
            return members.filter { $0.disposition.contains(.isDefault) }.map(\.id)
                + members.filter { !$0.disposition.contains(.isDefault) }.map(\.id)
        }
        video = ranked(.video).first
        audio = ranked(.audio)
    }
}
