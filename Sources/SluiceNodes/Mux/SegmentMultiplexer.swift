import SluiceAV
import SluiceBitstream
import SluiceCore

/// The tracks of a title's renditions: turns packets and boundaries into fragments. No ports, no tasks.
struct SegmentMultiplexer {
    private struct Track {
        var stream: StreamID
        var rendition: Int
        var id: UInt32
        /// One for each configuration of the stream.
        var descriptions: [TrackDescription]
        var converters: [SampleConverter]
        /// Ticks of a sample, by configuration.
        var nominals: [Int64]
        var assembler: TrackAssembler
        var version = 0
        /// Tells the order of pictures whose stamps are places.
        var inspector: PictureInspector?
        /// Index of the segment that becomes complete next.
        var due = 0
        /// Complete segments that wait for the other tracks of the rendition; one for every index.
        var ready: [AssembledSegment] = []
        /// Pauses are filled: pictures need a sound beside them.
        var isFilled: Bool

        mutating func take(_ segments: [AssembledSegment]) {
            for segment in segments where segment.index >= due {
                fill(to: segment.index)
                ready.append(segment)
                due = segment.index + 1
            }
            fillGaps()
        }

        /// Segments without anything, up to but not including `index`.
        mutating func fill(to index: Int) {
            while due < index {
                let silent = isFilled ? assembler.silent(due) : nil
                ready.append(
                    silent ?? AssembledSegment(index: due, decodeTime: assembler.timeline.begin(due), samples: []))
                due += 1
            }
        }

        /// Nobody should wait for the next sample to learn that there is none.
        mutating func fillGaps() {
            while assembler.timeline.isPause(due) { fill(to: due + 1) }
        }
    }

    private(set) var counts = Counts()
    private let plan: TitlePlan
    /// By the configuration of the pictures: which section of each track holds.
    private let sections: [[Int]]
    /// Of the pictures, by version.
    private let configurations: [[UInt8]]
    private let renditions: [String]
    private let convertsVision: Bool
    private var tracks: [Track]
    /// By stream index; nil for streams that are not served.
    private let places: [Int?]

    /// - Throws: `.unsupported` where a served stream cannot be carried.
    init(facts: TitleFacts, plan: TitlePlan, isMuxed: Bool) throws(NodeFailure) {
        self.plan = plan
        configurations = facts.versions.map(\.configuration)
        var names: [String] = []
        var tracks: [Track] = []
        for stream in isMuxed ? facts.muxed : facts.served {
            guard let format = facts.format(stream), let clock = facts.clocks[stream] else { continue }
            let isPicture = stream == facts.video
            if names.isEmpty || !isMuxed {
                let own = isMuxed ? nil : facts.bridges[stream]?.rendition
                names.append(own ?? Self.name(isPicture: isPicture, number: names.count, facts))
            }
            let id = isMuxed ? tracks.count + 1 : 1
            var descriptions: [TrackDescription] = []
            var converters: [SampleConverter] = []
            var nominals: [Int64] = []
            for version in 0..<facts.sections(of: stream) {
                let description = try TrackFactory.track(facts, plan, stream, version: version, id: id)
                descriptions.append(description)
                let piece = isPicture ? facts.piece(ofVersion: version) : version
                let held = facts.within(piece: piece)
                let own = held.format(stream) ?? format
                converters.append(SampleConverter(held, own, entry: description.entry))
                nominals.append(SampleLength.nominal(held, own, clock, entry: description.entry))
            }
            let timeline = RenditionTimeline(facts: facts, plan: plan, stream: stream)
            let asksPictures = isPicture && facts.pictureStamps.arePlaces
            var assembler = TrackAssembler(
                reorders: isPicture, nominal: nominals[0], timeline: timeline,
                silence: isPicture ? nil : Silence(facts, stream))
            if !isPicture {
                assembler.vary(
                    nominals.enumerated().map { ($1, Silence(facts, stream, piece: $0)) },
                    places: plan.segments.map { facts.section(of: stream, version: $0.version) })
            }
            tracks.append(
                Track(
                    stream: stream, rendition: names.count - 1, id: UInt32(id), descriptions: descriptions,
                    converters: converters, nominals: nominals, assembler: assembler,
                    inspector: asksPictures ? PictureInspector(format, framing: facts.framings[stream]) : nil,
                    isFilled: facts.video != nil && !isPicture))
        }
        guard !tracks.isEmpty else { throw NodeFailure(.unsupported, "no stream of the title is served") }
        var places = [Int?](repeating: nil, count: (tracks.map(\.stream.index).max() ?? 0) + 1)
        for (place, track) in tracks.enumerated() { places[track.stream.index] = place }
        renditions = names
        convertsVision = tracks.contains { $0.converters.contains(where: \.readsVision) }
        sections = (0..<max(1, facts.versions.count)).map { version in
            tracks.map { facts.section(of: $0.stream, version: version) }
        }
        self.tracks = tracks
        self.places = places
    }

    /// Opens an epoch whose first segment is `first`.
    ///
    /// - Returns: the initialization sections, so that no fragment is ever without one, and segments without media.
    mutating func begin(at first: Int) throws(NodeFailure) -> [Fragment] {
        reset()
        var fragments = try initializations()
        for number in tracks.indices {
            tracks[number].due = first
            open(number, at: first)
            tracks[number].fillGaps()
        }
        for rendition in renditions.indices { fragments += try take(from: rendition) }
        return fragments
    }

    func initializations() throws(NodeFailure) -> [Fragment] {
        var fragments: [Fragment] = []
        for (number, name) in renditions.enumerated() {
            let members = tracks.indices.filter { tracks[$0].rendition == number }
            let versions = members.map { tracks[$0].descriptions.count }.max() ?? 1
            for version in 0..<versions {
                // Tracks that share a section change with its picture.
                let section = InitializationSection(
                    tracks: members.map { place in
                        let number = members.count > 1 ? sections[min(version, sections.count - 1)][place] : version
                        return tracks[place].descriptions[min(number, tracks[place].descriptions.count - 1)]
                    })
                fragments.append(
                    Fragment(
                        rendition: name, role: .initialization(version: version), start: nil, duration: nil,
                        chunks: [ByteChunk(try section.bytes())]))
            }
        }
        return fragments
    }

    mutating func add(_ packet: Packet) throws(NodeFailure) -> [Fragment] {
        guard let number = place(packet.stream), packet.byteCount > 0, let presentation = packet.presentationTicks
        else { return [] }
        let version = tracks[number].version
        let nominal = tracks[number].nominals[version]
        let order = packet.withUnsafeBytes { tracks[number].inspector?.place($0).order }
        var time = presentation
        var samples: [TimedSample] = []
        let units = tracks[number].converters[version].samples(of: packet)
        if units.isEmpty, tracks[number].assembler.reorders { counts.empty += 1 }
        if convertsVision, tracks[number].assembler.reorders { countVision() }
        for unit in units {
            if unit.isCut { counts.cutChains += 1 }
            let length = unit.length ?? (tracks[number].assembler.reorders ? packet.durationTicks : nominal)
            samples.append(
                TimedSample(
                    presentation: time, duration: length,
                    isSync: unit.isSync ?? (packet.isKeyframe || !tracks[number].assembler.reorders),
                    isDisposable: packet.isDisposable, chunks: unit.chunks, order: order))
            time &+= length
        }
        if packet.continuesPicture {
            tracks[number].assembler.join(samples.map { tracks[number].converters[version].rest($0, packet) })
            return []
        }
        tracks[number].take(try tracks[number].assembler.add(samples))
        return tracks[number].ready.isEmpty ? [] : try take(from: tracks[number].rendition)
    }

    /// Why an RPU was left out: the latest one.
    var visionFailure: NodeFailure? {
        guard convertsVision else { return nil }
        return tracks.lazy.flatMap { $0.converters.compactMap(\.rewriter?.failure) }.first
    }

    /// Whole sums: every configuration has its own converter.
    private mutating func countVision() {
        let rewriters = tracks.flatMap { $0.converters.compactMap(\.rewriter) }
        counts.convertedRPUs = rewriters.reduce(0) { $0 + $1.convertedUnits }
        counts.refusedRPUs = rewriters.reduce(0) { $0 + $1.refusedUnits }
        counts.layerUnits = rewriters.reduce(0) { $0 + $1.enhancementUnits }
        counts.removedRPUs = rewriters.reduce(0) { $0 + $1.removedUnits }
        for track in tracks { counts.removedRPUs += track.converters.reduce(0) { $0 + $1.strippedUnits } }
    }

    mutating func boundary(_ boundary: SegmentBoundary) throws(NodeFailure) -> [Fragment] {
        guard let number = place(boundary.stream) else { return [] }
        tracks[number].take(tracks[number].assembler.boundary(boundary.index))
        open(number, at: boundary.index)
        return try take(from: tracks[number].rendition)
    }

    /// Completes what is open.
    mutating func finish() throws(NodeFailure) -> [Fragment] {
        for number in tracks.indices { tracks[number].take(tracks[number].assembler.finish()) }
        var fragments: [Fragment] = []
        for rendition in renditions.indices { fragments += try take(from: rendition) }
        return fragments
    }

    /// The source has no more: what is left of a provisional plan is empty.
    mutating func finishPlan() throws(NodeFailure) -> [Fragment] {
        // What the plan has counted must have come; only where nobody has looked an end is no surprise.
        for number in tracks.indices where !tracks[number].assembler.timeline.isExact {
            tracks[number].fill(to: plan.segments.count)
        }
        var fragments: [Fragment] = []
        for rendition in renditions.indices { fragments += try take(from: rendition) }
        return fragments
    }

    mutating func reset() {
        for number in tracks.indices {
            tracks[number].assembler.reset()
            tracks[number].ready = []
        }
    }

    // MARK: - Private

    private func place(_ stream: StreamID) -> Int? {
        places.indices.contains(stream.index) ? places[stream.index] : nil
    }

    /// What comes next belongs to segment `index`: nothing of what was before may matter.
    private mutating func open(_ number: Int, at index: Int) {
        let version = version(number, index)
        tracks[number].version = version
        tracks[number].inspector?.restart(
            configurations.indices.contains(version) ? configurations[version] : [])
    }

    private func version(_ number: Int, _ index: Int) -> Int {
        guard plan.segments.indices.contains(index) else { return 0 }
        let section = sections[max(0, min(plan.segments[index].version, sections.count - 1))][number]
        return max(0, min(section, tracks[number].converters.count - 1))
    }

    /// Everything of a rendition that all its tracks have completed.
    private mutating func take(from rendition: Int) throws(NodeFailure) -> [Fragment] {
        let members = tracks.indices.filter { tracks[$0].rendition == rendition }
        var fragments: [Fragment] = []
        while members.allSatisfy({ !tracks[$0].ready.isEmpty }), let index = tracks[members[0]].ready.first?.index {
            guard plan.segments.indices.contains(index) else { break }
            var parts: [TrackFragment] = []
            var empty: [(id: UInt32, decodeTime: Int64)] = []
            for number in members {
                let segment = tracks[number].ready.removeFirst()
                guard segment.decodeTime >= 0 else {
                    throw NodeFailure(
                        .internalInvariant,
                        "segment \(index), stream \(tracks[number].stream.index): decode time \(segment.decodeTime) is negative"
                    )
                }
                if segment.samples.isEmpty {
                    empty.append((tracks[number].id, segment.decodeTime))
                } else {
                    parts.append(
                        TrackFragment(
                            trackID: tracks[number].id, decodeTime: UInt64(segment.decodeTime), samples: segment.samples
                        ))
                }
            }
            let chunks =
                parts.isEmpty
                ? [ByteChunk(EmptySegment.bytes(index: index, tracks: empty))]
                : try FragmentBuilder.segment(index: index, tracks: parts)
            fragments.append(
                Fragment(
                    rendition: renditions[rendition], role: .media(index: index), start: plan.start(index),
                    duration: plan.duration(index), chunks: chunks))
        }
        return fragments
    }

    private static func name(isPicture: Bool, number: Int, _ facts: TitleFacts) -> String {
        isPicture ? "video" : "audio-\(facts.video == nil ? number + 1 : number)"
    }
}
