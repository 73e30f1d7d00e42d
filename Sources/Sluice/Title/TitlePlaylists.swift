import SluiceBitstream
import SluiceCore
import SluiceNodes

/// The playlists of a title, from its facts and plan alone. Pure.
struct TitlePlaylists {
    let facts: TitleFacts
    let plan: TitlePlan
    let shape: Title.Shape
    let layout: TitleLayout
    let texts: [SubtitleTrack]
    /// Playlists that the multivariant playlist names; there are those of the others, too.
    private let offered: [TitleLayout.Entry]
    private let offer: TitleOffer
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
        let layout = TitleLayout(facts, shape)
        self.layout = layout
        texts = shape == .audio ? [] : facts.textTracks
        let offer = offer ?? TitleOffer(facts, shape, .generic)
        self.offer = offer
        claimsVision = offer.claimsVision
        guard shape != .muxed else {
            offered = layout.entries
            return
        }
        let pictures = layout.entries.filter { $0.streams.contains { $0 == facts.video } }
        offered =
            pictures
            + offer.sounds.compactMap { id in
                offer.bridged(id, of: facts).map { TitleLayout.entry($0) }
                    ?? layout.entries.first { $0.streams == [id] }
            }
    }

    /// Every playlist that the multivariant playlist leads to.
    var offeredEntries: [TitleLayout.Entry] { offered }

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
        let sounds = offered.filter { !$0.streams.contains { $0 == facts.video } }
        if shape != .muxed, sounds.count > (facts.video == nil ? 1 : 0) {
            variant.audioGroup = Self.audioGroup
            for entry in sounds { master.renditions.append(try rendition(entry, isFirst: entry == sounds.first)) }
        }
        if !texts.isEmpty {
            variant.subtitleGroup = SubtitleRendition.group
            master.renditions += SubtitleRendition.list(texts, prefix: prefix)
        }
        master.makeNamesUnique()
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

    private func rendition(_ entry: TitleLayout.Entry, isFirst: Bool) throws(NodeFailure) -> Rendition {
        let id = entry.streams[0]
        let format = facts.format(id)
        let number = facts.sounds.firstIndex(of: id) ?? 0
        var rendition = Rendition(
            kind: .audio, group: Self.audioGroup,
            name: format?.title ?? format?.language ?? "Audio \(number + 1)", uri: "\(prefix)\(entry.name).m3u8")
        // Without pictures the default one is the variant itself.
        if facts.video == nil, isFirst { rendition.uri = nil }
        rendition.language = format?.language.flatMap { LanguageTag.tag($0) }
        rendition.isDefault = isFirst
        // A commentary in the viewer's language is not what he means by it.
        rendition.isAutoselected = isFirst || format?.disposition.contains(.commentary) != true
        rendition.channels = try channels(entry)
        if format?.disposition.contains(.visualImpaired) == true {
            rendition.characteristics = ["public.accessibility.describes-video"]
        }
        return rendition
    }

    private func channels(_ entry: TitleLayout.Entry) throws(NodeFailure) -> String? {
        let id = entry.streams[0]
        guard case .audio(let sound) = try TrackFactory.track(entry.facts(facts), id).entry else { return nil }
        if entry.bridge == nil, case .eac3 = sound.codec, let first = facts.firstUnits[id],
            let config = EAC3Configuration(first), let complexity = config.objectComplexity
        {
            return "\(complexity)/JOC"
        }
        return "\(sound.channels)"
    }

    /// Every configuration of every served track, the picture's first.
    private func codecs() throws(NodeFailure) -> [String] {
        var list: [String] = []
        for entry in offered {
            let facts = entry.facts(facts)
            for id in entry.streams {
                for version in 0..<facts.sections(of: id) {
                    let text = CodecText.text(try TrackFactory.track(facts, id, version: version))
                    if !list.contains(text) { list.append(text) }
                }
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
            let timeline = RenditionTimeline(facts: entry.facts(facts), plan: plan, stream: lead)
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
        let delivered = entry.facts(facts)
        let bridged = entry.streams.compactMap { delivered.bridges[$0] }
        let places = entry.streams.filter { delivered.bridges[$0] == nil }.compactMap {
            facts.served.firstIndex(of: $0)
        }
        let added = bridged.map { BridgeRate.bytes($0.encoded, plan) }
        guard plan.segments.allSatisfy({ segment in places.allSatisfy { segment.tracks.indices.contains($0) } }) else {
            return nil
        }
        return plan.segments.enumerated().map { index, segment in
            places.reduce(added.reduce(Int64(0)) { $0 &+ $1[index] }) { sum, place in
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
        let bridged = offered.compactMap { $0.bridge.map { BridgeRate.highest($0.encoded) } }.max() ?? 0
        return (declared > 0 ? max(2 * declared, 5_000_000) : 25_000_000) + bridged
    }

    // MARK: - Media playlists

    /// Names of all media playlists.
    var names: [String] { layout.names + texts.map(\.rendition) }

    /// A media playlist; nil for a name the title does not have.
    func media(_ name: String) -> String? {
        let own = layout.entry(name, of: facts, shape).map { segments($0) }
        guard let segments = own ?? textSegments(name) else { return nil }
        var playlist = MediaPlaylist(kind: .vod, segments: segments, isEnded: true, targetDuration: targetDuration)
        playlist.isIndependent = plan.isIndependent
        // EXT-X-GAP came with version 8.
        if segments.contains(where: \.isGap) { playlist.version = 8 }
        return playlist.text
    }

    /// Seconds; renditions of a title must agree on it.
    private var targetDuration: Int {
        let own = layout.entries.map { MediaPlaylist.requiredTargetDuration(segments($0)) }
        return (own + bridgedTargets).max() ?? 1
    }

    func segments(_ entry: TitleLayout.Entry) -> [MediaSegment] {
        guard let lead = entry.streams.first else { return [] }
        let timeline = RenditionTimeline(facts: entry.facts(facts), plan: plan, stream: lead)
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
    /// Whether it is a piece of a subtitle rendition.
    var isText: Bool { rendition.hasPrefix(SubtitleRendition.prefix) }

    /// Where the file lies, relative to the media playlists.
    var path: String {
        switch role {
        case .initialization(let version): "\(rendition)/init-\(version).mp4"
        case .media(let index): "\(rendition)/seg-\(index).\(isText ? "vtt" : "m4s")"
        }
    }
}
