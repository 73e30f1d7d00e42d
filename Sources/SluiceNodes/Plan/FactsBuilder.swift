import SluiceAV
public import SluiceCore

/// Chooses what of a source is served and how its stamps are placed. Pure.
enum FactsBuilder {
    /// How much sooner than the first picture sound must begin to be the title's origin (decisions D23).
    static let audioLead = Duration.milliseconds(50)

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
            facts.clocks[id] = clock(format, origin, firsts[id], cadence)
        }
        return facts
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
        if let sound, picture.nanoseconds &- sound.nanoseconds > audioLead.nanoseconds { return sound }
        return picture
    }

    private static func clock(
        _ format: StreamFormat, _ origin: Timestamp, _ first: Int64?, _ cadence: Timebase?
    ) -> TrackClock {
        let timescale = timescale(format, cadence)
        var clock = TrackClock(source: format.timebase, timescale: timescale, origin: origin)
        // Only containers that round need a grid; finer clocks say exactly what they mean.
        guard isCoarse(format.timebase), let first, let period = period(format, cadence, clock.timebase) else {
            return clock
        }
        // The container's rounding of the stamp and of the origin, half a tick each, on the output clock.
        let tolerance = Int64(1).rescaled(from: format.timebase, to: clock.timebase, rounding: .up)
        clock.grid = TrackClock.Grid(period: period, phase: clock.output(first), tolerance: tolerance)
        return clock
    }

    /// A millisecond or coarser.
    private static func isCoarse(_ timebase: Timebase) -> Bool {
        Int64(timebase.denominator) <= Int64(timebase.numerator) * 1_000
    }

    private static func period(_ format: StreamFormat, _ cadence: Timebase?, _ output: Timebase) -> Int64? {
        switch format.type {
        case .video: return cadence.map { Int64(1).rescaled(from: $0, to: output) }
        case .audio:
            guard let size = format.audio?.frameSize, size > 0 else { return nil }
            // The track's timescale is the sample rate, so a frame is its samples.
            return Int64(size)
        default: return nil
        }
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
