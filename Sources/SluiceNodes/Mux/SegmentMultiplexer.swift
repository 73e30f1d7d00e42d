import SluiceAV
import SluiceBitstream
import SluiceCore

/// The tracks of a title's renditions: turns packets and boundaries into fragments. No ports, no tasks.
struct SegmentMultiplexer {
    private struct Track {
        var stream: StreamID
        var rendition: Int
        var description: TrackDescription
        var assembler: TrackAssembler
        /// Complete segments that wait for the other tracks of the rendition.
        var ready: [AssembledSegment] = []
        var isEnded = false
    }

    private let plan: TitlePlan
    private let renditions: [String]
    private var tracks: [Track]

    /// - Throws: `.unsupported` where a served stream cannot be carried.
    init(facts: TitleFacts, plan: TitlePlan, isMuxed: Bool) throws(NodeFailure) {
        self.plan = plan
        var names: [String] = []
        var tracks: [Track] = []
        let served = isMuxed ? facts.muxed : facts.served
        for stream in served {
            guard let format = facts.format(stream), let clock = facts.clocks[stream] else { continue }
            let isPicture = stream == facts.video
            if names.isEmpty || !isMuxed { names.append(Self.name(isPicture: isPicture, number: names.count, facts)) }
            let id = isMuxed ? tracks.count + 1 : 1
            let description = try TrackFactory.track(format, id: id, clock: clock)
            tracks.append(
                Track(
                    stream: stream, rendition: names.count - 1, description: description,
                    assembler: TrackAssembler(reorders: isPicture, nominal: Self.nominal(format, clock, facts))))
        }
        guard !tracks.isEmpty else { throw NodeFailure(.unsupported, "no stream of the title is served") }
        self.renditions = names
        self.tracks = tracks
    }

    func initializations() throws(NodeFailure) -> [Fragment] {
        var fragments: [Fragment] = []
        for (number, name) in renditions.enumerated() {
            let section = InitializationSection(tracks: tracks.filter { $0.rendition == number }.map(\.description))
            let bytes = try section.bytes()
            fragments.append(
                Fragment(
                    rendition: name, role: .initialization(version: 0), start: nil, duration: nil,
                    chunks: [ByteChunk(bytes)]))
        }
        return fragments
    }

    mutating func add(_ packet: Packet) throws(NodeFailure) -> [Fragment] {
        guard let number = tracks.firstIndex(where: { $0.stream == packet.stream }), packet.byteCount > 0,
            let presentation = packet.presentationTicks
        else { return [] }
        let sample = TimedSample(
            presentation: presentation, duration: packet.durationTicks, isSync: packet.isKeyframe,
            isDisposable: packet.isDisposable, chunks: [ByteChunk(packet)])
        tracks[number].ready += try tracks[number].assembler.add(sample)
        return try take(from: tracks[number].rendition)
    }

    mutating func boundary(_ boundary: SegmentBoundary) throws(NodeFailure) -> [Fragment] {
        guard let number = tracks.firstIndex(where: { $0.stream == boundary.stream }) else { return [] }
        tracks[number].ready += tracks[number].assembler.boundary(boundary.index)
        return try take(from: tracks[number].rendition)
    }

    mutating func finish() throws(NodeFailure) -> [Fragment] {
        for number in tracks.indices {
            tracks[number].ready += tracks[number].assembler.finish()
            tracks[number].isEnded = true
        }
        var fragments: [Fragment] = []
        for rendition in renditions.indices { fragments += try take(from: rendition) }
        return fragments
    }

    mutating func reset() {
        for number in tracks.indices {
            tracks[number].assembler.reset()
            tracks[number].ready = []
            tracks[number].isEnded = false
        }
    }

    // MARK: - Private

    /// Everything of a rendition that no track can add to any more.
    private mutating func take(from rendition: Int) throws(NodeFailure) -> [Fragment] {
        let members = tracks.indices.filter { tracks[$0].rendition == rendition }
        var fragments: [Fragment] = []
        while let next = members.compactMap({ tracks[$0].ready.first?.index }).min(),
            members.allSatisfy({ tracks[$0].isEnded || !tracks[$0].ready.isEmpty })
        {
            var parts: [TrackFragment] = []
            for number in members {
                guard let segment = tracks[number].ready.first, segment.index == next else { continue }
                tracks[number].ready.removeFirst()
                guard segment.decodeTime >= 0 else {
                    throw NodeFailure(
                        .internalInvariant,
                        "segment \(next), stream \(tracks[number].stream.index): decode time \(segment.decodeTime) is negative")
                }
                parts.append(
                    TrackFragment(
                        trackID: tracks[number].description.id, decodeTime: UInt64(segment.decodeTime),
                        samples: segment.samples))
            }
            fragments.append(
                Fragment(
                    rendition: renditions[rendition], role: .media(index: next), start: plan.start(next),
                    duration: plan.duration(next), chunks: try FragmentBuilder.segment(index: next, tracks: parts)))
        }
        return fragments
    }

    private static func name(isPicture: Bool, number: Int, _ facts: TitleFacts) -> String {
        isPicture ? "video" : "audio-\(facts.video == nil ? number + 1 : number)"
    }

    /// Ticks of one sample where neither the next one nor the packet says.
    private static func nominal(_ format: StreamFormat, _ clock: TrackClock, _ facts: TitleFacts) -> Int64 {
        if let grid = clock.grid { return grid.period }
        if let period = facts.framePeriod ?? format.video?.framePeriod, format.type == .video {
            return Int64(1).rescaled(from: period, to: clock.timebase)
        }
        if let audio = format.audio, let size = audio.frameSize, audio.sampleRate > 0 {
            return Int64(size).scaled(by: Int64(clock.timescale), over: Int64(audio.sampleRate))
        }
        return Int64(clock.timescale) / 25
    }
}
