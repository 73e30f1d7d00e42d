public import SluiceCore

extension TitleFacts {
    /// Sounds that are not copied but can be bridged, the default first.
    public var bridgeable: [StreamID] {
        StreamSelection(streams).audio.filter { id in
            !audio.contains(id) && format(id).map { BridgePolicy.refusal($0) == nil } ?? false
        }
    }

    /// Every sound that is served one way or another: `audio-1` is the first.
    public var sounds: [StreamID] { audio + bridgeable }

    /// The facts of a producer that bridges one sound.
    ///
    /// - Parameter isAlone: it makes the sound's own rendition; else the sound goes beside the pictures.
    package func bridging(_ sound: BridgedSound, isAlone: Bool) -> TitleFacts {
        var facts = self
        let stream = sound.stream
        facts.bridges = [stream: sound]
        facts.clocks[stream] = sourceClock(stream)
        // What comes before the title is heard by the decoder.
        facts.spans[stream] = StreamSpan(start: .min / 4, end: spans[stream]?.end ?? 0)
        if isAlone {
            (facts.video, facts.audio, facts.muxedSound, facts.enhancement) = (nil, [stream], nil, nil)
        } else {
            facts.muxedSound = stream
            facts.audio = [stream]
        }
        return facts
    }

    /// The facts behind the bridge: its sounds are counted on the clock of what they were encoded to.
    package var delivered: TitleFacts {
        guard !bridges.isEmpty else { return self }
        var facts = self
        for (stream, sound) in bridges {
            let clock = sound.encoded.timebase
            facts.clocks[stream] = TrackClock(
                source: clock, timescale: sound.encoded.timescale, origin: Timestamp(0, clock))
            facts.firstUnits[stream] = nil
            facts.spans[stream] = nil
            facts.primings[stream] = nil
            facts.tails[stream] = nil
        }
        return facts
    }

    /// When a sound begins, in output ticks; nil where nothing says it, or where its clock starts anew on the way.
    func firstSample(_ stream: StreamID) -> Int64? {
        guard let clock = clocks[stream], clock.epochs.isEmpty, let first = format(stream)?.startTicks else {
            return nil
        }
        return clock.plainOutput(first)
    }

    /// The clock of a sound that was not looked at when the title was planned.
    func sourceClock(_ stream: StreamID) -> TrackClock? {
        if let known = clocks[stream] { return known }
        guard let format = format(stream), let rate = format.audio?.sampleRate, rate > 0 else { return nil }
        var clock = TrackClock(source: format.timebase, timescale: Int32(clamping: rate), origin: origin)
        clock.epochs = video.flatMap { clocks[$0]?.epochs } ?? audio.first.flatMap { clocks[$0]?.epochs } ?? []
        // Stamps that are rounded lie on the grid of frames that the first one begins, where frames are longer than that.
        if let size = format.audio?.frameSize, size > 0, let first = format.startTicks, clock.epochs.isEmpty {
            let (period, tolerance) = (Int64(size), FactsBuilder.tolerance(format.timebase, clock))
            if FactsBuilder.needsGrid(format.timebase, clock, period), period > 4 * tolerance {
                clock.grids = [
                    TrackClock.Grid(period: period, phase: clock.plainOutput(first), tolerance: tolerance)
                ]
            }
        }
        return clock
    }
}
