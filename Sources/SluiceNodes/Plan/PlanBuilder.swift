public import SluiceAV
import SluiceBitstream
public import SluiceCore

/// Makes the facts and the plan of a title from an open container. Blocks.
public enum PlanBuilder {
    public struct Options: Sendable, Hashable {
        /// Distance of segment starts that is aimed at, in titles with pictures.
        public var target = Duration.seconds(4)
        /// The same in titles without.
        public var soundTarget = Duration.seconds(6)
        /// Shorter segments are folded into a neighbour.
        public var minimum = Duration.seconds(1)
        /// What the plan must be made from; nil takes the first that fits: sample tables, a trustworthy index, a scan.
        public var basis: TitlePlan.Basis?
        /// Streams to serve; nil serves what ``RoutePolicy`` copies for `capabilities`.
        public var selection: StreamSelection?
        public var capabilities = ClientCapabilities.everything
        /// Whether only the sounds are served.
        public var leavesPictures = false
        /// Whether the heads of all random access points are read where a plan comes from sample tables: many small
        /// reads, cheap in a file, dear over a network. Without, fewer segments count as independent.
        public var looksAtPictures = true
        /// Whether a provisional plan, made from a container's index alone, will do where no basis is asked for.
        public var mayBeProvisional = true

        public init() {}

        /// - Throws: `.invalidOption` where segments would have no length.
        func check() throws(NodeFailure) {
            for (name, value) in [("target", target), ("sound target", soundTarget)] where value <= .zero {
                throw NodeFailure(.invalidOption, "\(name) of \(value.inSeconds) s; expected more than 0")
            }
        }
    }

    /// Opens the container in `source` and plans it, from `store` where that knows the source.
    ///
    /// - Throws: what ``plan(_:identity:source:options:progress:)`` and the container throw.
    public static func title(
        _ source: any ByteSource, hint: String? = nil, options: Options = Options(), store: PlanStore? = nil,
        progress: @escaping (Int64) -> Void = { _ in }
    ) throws(NodeFailure) -> PlannedTitle {
        if let known = store?.load(source.identity, options) { return known }
        var reader = try FormatReader(source: source, hint: hint)
        var (facts, plan) = try plan(
            &reader, identity: source.identity, source: source, options: options, progress: progress)
        var route = RoutePolicy.route(reader.streams, capabilities: options.capabilities, facts: facts)
        if let video = route.video, facts.video == video.stream, video.means != .copy {
            throw NodeFailure(.unsupported, "stream \(video.stream.index): \(video.reason)")
        }
        if facts.video == nil, let main = facts.audio.first,
            route.audio.first(where: { $0.stream == main })?.means == .bridge
        {
            leaveToBridge(&facts, &plan)
        }
        let refused = refusals(facts, plan)
        if !refused.isEmpty {
            // One sound whose units say too little must not keep the rest of the title from being served.
            let audio = facts.audio.filter { refused[$0] == nil }
            guard facts.video != nil || !audio.isEmpty else {
                throw refused[facts.audio[0]] ?? NodeFailure(.unsupported, "sound")
            }
            var rest = options
            rest.selection = StreamSelection(video: facts.video, audio: audio)
            // A producer reads with a fresh reader: one that was wound back may count differently (AVI).
            reader = try FormatReader(source: source, hint: hint)
            (facts, plan) = try self.plan(
                &reader, identity: source.identity, source: source, options: rest, progress: progress)
            for (index, stream) in route.audio.enumerated() {
                guard let failure = refused[stream.stream] else { continue }
                route.audio[index].means = .bridge
                route.audio[index].reason = failure.message
            }
        }
        facts.about = TitleAbout(tags: reader.metadata, chapters: reader.chapters, attachments: reader.attachments)
        let title = PlannedTitle(facts: facts, plan: plan, route: route)
        store?.save(title, options)
        return title
    }

    /// Nothing of the title is copied: the plan keeps where its segments begin, and the facts the sound's clock.
    private static func leaveToBridge(_ facts: inout TitleFacts, _ plan: inout TitlePlan) {
        facts.audio = []
        for index in plan.segments.indices { plan.segments[index].tracks = [] }
    }

    /// Why sounds of the title cannot be carried.
    private static func refusals(_ facts: TitleFacts, _ plan: TitlePlan) -> [StreamID: NodeFailure] {
        var refused: [StreamID: NodeFailure] = [:]
        for id in facts.audio {
            if !plan.isProvisional, facts.spans[id] == nil {
                refused[id] = NodeFailure(.unsupported, "stream \(id.index): no sound in the title's time")
                continue
            }
            do throws(NodeFailure) {
                let track = try TrackFactory.track(facts, id)
                try checkFrames(facts, plan, id, entry: track.entry)
            } catch { refused[id] = error }
        }
        return refused
    }

    /// - Throws: `.malformedInput` where frames are stamped much closer to each other than they last: either the stamps
    ///   or the sample rate are wrong, and nothing says which.
    private static func checkFrames(
        _ facts: TitleFacts, _ plan: TitlePlan, _ id: StreamID, entry: SampleEntry
    ) throws(NodeFailure) {
        guard let place = facts.served.firstIndex(of: id), let format = facts.format(id),
            let clock = facts.clocks[id], let span = facts.spans[id],
            plan.segments.allSatisfy({ $0.tracks.indices.contains(place) })
        else { return }
        let count = plan.segments.reduce(0) { $0 + $1.tracks[place].samples }
        let length = SampleLength.nominal(facts, format, clock, entry: entry)
        let needed = Int64(clamping: count).multipliedReportingOverflow(by: length)
        guard count > 16, format.codec != "opus", !needed.overflow, span.end > span.start,
            needed.partialValue / 2 > (span.end &- span.start) / 4 &* 3
        else { return }
        throw NodeFailure(
            .malformedInput,
            "stream \(id.index): \(count) frames of \(length) ticks in \(span.end &- span.start); expected as much time"
        )
    }

    /// - Parameters:
    ///   - source: the bytes under `reader`; without them sample tables cannot be read.
    ///   - progress: called now and then by a scan with the time it has reached, nanoseconds of the source's clock.
    /// - Throws: `.invalidOption`; the source's failure; `.malformedInput` where nothing opens a segment; `.unsupported` where nothing can
    ///   be copied, or a basis is asked for that the container does not have.
    public static func plan(
        _ reader: inout FormatReader, identity: String?, source: (any ByteSource)? = nil, options: Options = Options(),
        progress: @escaping (Int64) -> Void = { _ in }
    ) throws(NodeFailure) -> (TitleFacts, TitlePlan) {
        let parked = reader.streams.map(\.parked)
        var (facts, plan) = try look(&reader, identity, source, options, progress)
        // What a look that led to nothing had set aside is there all the same.
        for index in facts.streams.indices where parked.indices.contains(index) {
            facts.streams[index].parked = parked[index]
        }
        return (facts, plan)
    }

    private static func look(
        _ reader: inout FormatReader, _ identity: String?, _ source: (any ByteSource)?, _ options: Options,
        _ progress: @escaping (Int64) -> Void
    ) throws(NodeFailure) -> (TitleFacts, TitlePlan) {
        try options.check()
        var movie: [UInt8]?
        if reader.formatName.hasPrefix("mov"), let source { movie = try MovieBox.read(source) }
        reader.mark(encrypted: try EncryptionProbe.streams(reader, movie: movie, source: source))
        let selection = try selection(reader.streams, options)
        let target = selection.video == nil ? options.soundTarget : options.target
        var assembler = PlanAssembler(shape: TitlePlan.Shape(target: target, minimum: options.minimum))
        if reader.formatName.hasPrefix("mov"), source != nil {
            assembler.isFragmented = movie.map(isFragmented) ?? true
        }
        // Only a scan sees the RPUs of another stream.
        let isJoined = EnhancementRule.companion(reader.streams, of: selection.video, reader.formatName) != nil
        if options.basis ?? .sampleTables == .sampleTables, !isJoined || options.basis != nil, let movie, let source,
            !assembler.isFragmented
        {
            let surveyor = TableSurveyor(source: source, target: target, looksAtPictures: options.looksAtPictures)
            do throws(NodeFailure) {
                return try assembler.assemble(
                    surveyor.survey(&reader, selection: selection, identity: identity, movie: movie))
            } catch {
                let isAboutTables = error.code == .unsupported || error.code == .malformedInput
                guard isAboutTables, options.basis == nil else { throw error }
                try reader.rewind()
            }
        } else if options.basis == .sampleTables {
            throw NodeFailure(
                .unsupported, "'\(reader.formatName)' has no sample tables; expected an MP4 that is not fragmented")
        }
        let mayUseIndex = options.basis == nil && options.mayBeProvisional && !isJoined
        if options.basis == .index || (mayUseIndex && hasIndex(reader.formatName, selection)) {
            do throws(NodeFailure) {
                return try IndexPlanner(target: options.target, minimum: options.minimum)
                    .plan(&reader, selection: selection, identity: identity)
            } catch {
                guard error.code == .unsupported, options.basis == nil else { throw error }
                // The index says too little: everything is looked at.
                try reader.rewind()
            }
        }
        let surveyor = ScanSurveyor(progress: progress)
        guard reader.formatName == "mpegts", let source, source.isSeekable else {
            return try assembler.assemble(surveyor.survey(&reader, selection: selection, identity: identity))
        }
        var survey: SourceSurvey?
        var failure: NodeFailure?
        do throws(NodeFailure) {
            survey = try surveyor.survey(&reader, selection: selection, identity: identity)
        } catch {
            guard [.unsupported, .malformedInput].contains(error.code) else { throw error }
            failure = error
        }
        if survey.map({ PieceRule.isSuspicious($0, hasLateStreams: reader.hasLateStreams) }) ?? true {
            let pieces = PieceSurveyor(
                source: source, hint: source.name, capabilities: options.capabilities, progress: progress)
            let found = try pieces.survey(reader.streams, selection: selection, identity: identity)
            if let found {
                let (facts, plan) = try assembler.assemble(found)
                try checkSections(facts)
                return (facts, plan)
            }
        }
        guard let survey else { throw failure ?? NodeFailure(.malformedInput, "nothing could be read") }
        return try assembler.assemble(survey)
    }

    /// - Throws: `.unsupported` where a stream that takes over cannot be described.
    private static func checkSections(_ facts: TitleFacts) throws(NodeFailure) {
        for id in facts.served {
            for section in 0..<facts.sections(of: id) { _ = try TrackFactory.track(facts, id, version: section) }
        }
    }

    private static func selection(
        _ streams: [StreamFormat], _ options: Options
    ) throws(NodeFailure) -> StreamSelection {
        if let selection = options.selection {
            let chosen = (selection.video.map { [$0] } ?? []) + selection.audio
            if let id = chosen.first(where: { id in streams.contains { $0.id == id && $0.isEncrypted } }) {
                throw NodeFailure(.unsupported, "stream \(id.index): \(RoutePolicy.encrypted)")
            }
            return selection
        }
        var route = RoutePolicy.route(streams, capabilities: options.capabilities)
        if options.leavesPictures { route.video = nil }
        if let video = route.video, video.means != .copy {
            throw NodeFailure(.unsupported, "stream \(video.stream.index): \(video.reason)")
        }
        let copied = route.copied
        if copied.video == nil, copied.audio.isEmpty {
            // A sound that is bridged alone is looked at all the same: its frames are where segments begin.
            if let bridged = route.audio.first(where: { $0.means == .bridge }) {
                return StreamSelection(video: nil, audio: [bridged.stream])
            }
            let reason = route.audio.first.map { "stream \($0.stream.index): \($0.reason)" }
            throw NodeFailure(.unsupported, reason ?? "no stream that could be served")
        }
        return copied
    }

    /// Transport and program streams have no index, whatever libavformat has collected on its way; that of movie files is
    /// their sample tables, and fragments have none.
    private static func hasIndex(_ formatName: String, _ selection: StreamSelection) -> Bool {
        selection.video != nil && formatName.hasPrefix("matroska")
    }

    private static func isFragmented(_ movie: [UInt8]) -> Bool { MovieBox.holds("mvex", in: movie) }
}
