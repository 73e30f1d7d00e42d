import SluiceBitstream
import SluiceCore
import SluiceNodes

/// The playlists of a title, from its facts and plan alone. Pure.
struct TitlePlaylists {
    let facts: TitleFacts
    let plan: TitlePlan
    let shape: Title.Shape
    let layout: TitleLayout
    /// Playlists that the multivariant playlist names; there are those of the others, too.
    private let offered: [TitleLayout.Entry]
    private let sounds: [StreamID]
    /// Whether SUPPLEMENTAL-CODECS names Dolby Vision.
    private let claimsVision: Bool
    /// Stands before the media playlists' names in the multivariant playlist.
    let prefix: String

    /// - Parameter offer: what the client is offered; nil offers everything.
    init(facts: TitleFacts, plan: TitlePlan, shape: Title.Shape, prefix: String = "", offer: TitleOffer? = nil) {
        self.facts = facts
        self.plan = plan
        self.shape = shape
        self.prefix = prefix
        layout = TitleLayout(facts, shape)
        claimsVision = offer?.claimsVision ?? true
        let sounds = offer?.sounds ?? facts.audio
        self.sounds = sounds
        offered = layout.entries.filter { $0.streams.allSatisfy { $0 == facts.video || sounds.contains($0) } }
    }

    init(title: Title, offer: TitleOffer? = nil) {
        self.init(
            facts: title.facts, plan: title.plan, shape: title.shape, prefix: title.planID + "/", offer: offer)
    }

    // MARK: - Multivariant playlist

    /// The multivariant playlist; URIs are relative to the options' folder.
    ///
    /// - Throws: `.unsupported` where a stream has no configuration to name it by.
    func master() throws(NodeFailure) -> String {
        guard let main = offered.first else {
            throw NodeFailure(.unsupported, "no stream of the title is served")
        }
        var variant = Variant(uri: "\(prefix)\(main.name).m3u8", bandwidth: 0)
        variant.codecs = try codecs()
        if let id = facts.video { try describe(&variant, picture: id) }
        rate(&variant)
        var master = MultivariantPlaylist()
        master.isIndependent = plan.isIndependent
        if shape == .renditions, facts.video != nil, !sounds.isEmpty {
            variant.audioGroup = Self.audioGroup
            for (number, id) in facts.audio.enumerated() where sounds.contains(id) {
                master.renditions.append(try rendition(number, id))
            }
            master.makeNamesUnique()
        }
        master.variants = [variant]
        return master.text
    }

    private static let audioGroup = "audio"

    private func describe(_ variant: inout Variant, picture id: StreamID) throws(NodeFailure) {
        let entry = try TrackFactory.track(facts, id).entry
        guard case .video(let picture) = entry else { return }
        variant.resolution = Resolution(width: picture.width, height: picture.height)
        variant.frameRate = frameRate(id)
        variant.videoRange = entry.videoRange
        if claimsVision, let codec = entry.supplementalCodec { variant.supplementalCodecs = [codec] }
        // Apple's players drop a variant of high range without it, and then have none.
        guard variant.frameRate != nil || entry.videoRange == .sdr else {
            throw NodeFailure(
                .unsupported,
                "stream \(id.index): pictures in \(entry.videoRange.rawValue) at a rate that nobody knows; expected one for "
                    + "FRAME-RATE, or a player that takes \(variant.uri) itself")
        }
    }

    /// Share of the average from which on pictures that come faster are another rate, and not the average without the holes
    /// that lower it.
    private static let variableShare = 1.2

    /// Pictures a second: exact where the cadence is proven, else what the plan counted or, in films of variable rate, where
    /// they come fastest, else what the container says.
    ///
    /// - Note: RFC 8216 §4.3.4.2 (the maximum frame rate of the variant).
    private func frameRate(_ id: StreamID) -> Double? {
        if let exact = Self.rate(facts.framePeriod) { return exact }
        let peak = Self.rate(facts.peakPeriod)
        if let average = averageRate(id) {
            return peak.map { $0 >= average * Self.variableShare ? $0 : average } ?? average
        }
        return peak ?? Self.rate(facts.format(id)?.video?.framePeriod)
    }

    private static func rate(_ period: Timebase?) -> Double? {
        period.flatMap { $0.numerator > 0 ? Double($0.denominator) / Double($0.numerator) : nil }
    }

    /// nil where nobody has counted.
    private func averageRate(_ id: StreamID) -> Double? {
        let timeline = RenditionTimeline(facts: facts, plan: plan, stream: id)
        let place = facts.served.firstIndex(of: id) ?? 0
        let samples = plan.segments.reduce(0) {
            $0 + ($1.tracks.indices.contains(place) ? $1.tracks[place].samples : 0)
        }
        let length = timeline.durations.reduce(Duration.zero, +)
        return samples > 0 && length > .zero ? Double(samples) / length.inSeconds : nil
    }

    private func rendition(_ number: Int, _ id: StreamID) throws(NodeFailure) -> Rendition {
        let format = facts.format(id)
        var rendition = Rendition(
            kind: .audio, group: Self.audioGroup,
            name: format?.title ?? format?.language ?? "Audio \(number + 1)",
            uri: "\(prefix)audio-\(number + 1).m3u8")
        rendition.language = format?.language.flatMap { LanguageTag.tag($0) }
        rendition.isDefault = id == sounds.first
        rendition.isAutoselected = true
        rendition.channels = try channels(id)
        if format?.disposition.contains(.visualImpaired) == true {
            rendition.characteristics = ["public.accessibility.describes-video"]
        }
        return rendition
    }

    private func channels(_ id: StreamID) throws(NodeFailure) -> String? {
        guard case .audio(let entry) = try TrackFactory.track(facts, id).entry else { return nil }
        if case .eac3 = entry.codec, let first = facts.firstUnits[id], let config = EAC3Configuration(first),
            let complexity = config.objectComplexity
        {
            return "\(complexity)/JOC"
        }
        return "\(entry.channels)"
    }

    /// Every configuration of every served track, the picture's first.
    private func codecs() throws(NodeFailure) -> [String] {
        var list: [String] = []
        for id in offered.flatMap(\.streams) {
            for version in 0..<facts.sections(of: id) {
                let text = CodecText.text(try TrackFactory.track(facts, id, version: version))
                if !list.contains(text) { list.append(text) }
            }
        }
        return list
    }

    /// The variant's own playlist with the greediest of the renditions it may be played with.
    private func rate(_ variant: inout Variant) {
        // Clocks that jump make segments of centuries; a run of them is one segment all the same.
        let target = Int64(min(targetDuration, 1 << 32)) * 1_000_000_000
        var rates: [RateRule.Rates] = []
        for entry in offered {
            guard let lead = entry.streams.first, let bytes = bytes(entry) else {
                variant.bandwidth = declaredBandwidth
                return
            }
            let timeline = RenditionTimeline(facts: facts, plan: plan, stream: lead)
            // Rates are those of what there is: a hole does not make the rest slower.
            let (lengths, held) = (timeline.durations, bytes.indices.filter { !timeline.gaps.contains($0) })
            let found = RateRule.rates(
                bytes: held.map { bytes[$0] }, durations: held.map { lengths[$0].nanoseconds }, target: target)
            guard let found else { continue }
            rates.append(found)
        }
        guard let main = rates.first else {
            variant.bandwidth = declaredBandwidth
            return
        }
        variant.bandwidth = main.peak + (rates.dropFirst().map(\.peak).max() ?? 0)
        variant.averageBandwidth = main.average + (rates.dropFirst().map(\.average).max() ?? 0)
    }

    /// Bytes of each segment of a playlist; nil where nobody has counted.
    private func bytes(_ entry: TitleLayout.Entry) -> [Int64]? {
        let places = entry.streams.compactMap { facts.served.firstIndex(of: $0) }
        guard plan.segments.allSatisfy({ segment in places.allSatisfy { segment.tracks.indices.contains($0) } }) else {
            return nil
        }
        return plan.segments.map { segment in
            places.reduce(Int64(0)) { sum, place in
                let track = segment.tracks[place]
                return sum &+ track.bytes &+ Int64(track.samples) &* Self.sampleOverhead &+ Self.fragmentOverhead
            }
        }
    }

    /// What fragments add to the samples: boxes of a fragment, and its entry of each sample.
    private static let fragmentOverhead: Int64 = 256
    private static let sampleOverhead: Int64 = 16

    /// Twice the average, at least 5 Mbit/s: a bound while nobody has counted the bytes of each segment.
    ///
    /// - Note: behaviours CR-14.
    private var declaredBandwidth: Int {
        let declared = facts.served.compactMap { facts.format($0)?.bitRate }.reduce(0, +)
        return declared > 0 ? max(2 * declared, 5_000_000) : 25_000_000
    }

    // MARK: - Media playlists

    /// A media playlist; nil for a name the title does not have.
    func media(_ name: String) -> String? {
        guard let entry = layout.entry(name) else { return nil }
        let segments = segments(entry)
        var playlist = MediaPlaylist(kind: .vod, segments: segments, isEnded: true, targetDuration: targetDuration)
        playlist.isIndependent = plan.isIndependent
        // EXT-X-GAP came with version 8.
        if segments.contains(where: \.isGap) { playlist.version = 8 }
        return playlist.text
    }

    /// Seconds; renditions of a title must agree on it.
    private var targetDuration: Int {
        layout.entries.map { MediaPlaylist.requiredTargetDuration(segments($0)) }.max() ?? 1
    }

    private func segments(_ entry: TitleLayout.Entry) -> [MediaSegment] {
        guard let lead = entry.streams.first else { return [] }
        let timeline = RenditionTimeline(facts: facts, plan: plan, stream: lead)
        let durations = timeline.durations
        var segments: [MediaSegment] = []
        segments.reserveCapacity(plan.segments.count)
        var position = Duration.zero
        var current: Int?
        for (index, planned) in plan.segments.enumerated() {
            var segment = MediaSegment(
                uri: SegmentKey(rendition: entry.name, role: .media(index: index)).path, start: position,
                duration: durations[index])
            let version = min(facts.section(of: lead, version: planned.version), entry.versions - 1)
            if current != version {
                segment.map = InitializationMap(
                    uri: SegmentKey(rendition: entry.name, role: .initialization(version: version)).path)
                current = version
            }
            segment.isDiscontinuity = planned.isDiscontinuous && index > 0
            segment.isGap = entry.streams.count == 1 && timeline.gaps.contains(index)
            segments.append(segment)
            position += durations[index]
        }
        return segments
    }
}

extension SegmentKey {
    /// Where the file lies, relative to the media playlists.
    var path: String {
        switch role {
        case .initialization(let version): "\(rendition)/init-\(version).mp4"
        case .media(let index): "\(rendition)/seg-\(index).m4s"
        }
    }
}
