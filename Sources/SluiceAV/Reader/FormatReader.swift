internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

/// Reads packets out of a container whose bytes come from a ``ByteSource``, and from nowhere else.
///
/// Every call except the properties may block in the source: the caller runs it where blocking is allowed. The reader
/// belongs to one node and cannot be sent. Interrupting the source ends a blocked call with `.cancelled`.
public struct FormatReader: ~Copyable {
    let context: FormatContext
    /// One a stream, by index.
    var clocks: [TimelineClock]
    /// Whether packets of the stream are handed out, by index.
    var wanted: [Bool]
    /// Whether packets were read to learn what the streams are.
    let isInspected: Bool
    /// Packets are taken as the container frames them.
    var isTrusting = false
    /// Nothing was read or moved since the container was opened.
    var isUntouched = true
    /// How the clusters of a Matroska file may be read without the library; nil where they may not.
    var layout: MatroskaLayout?
    /// Reads them; nil while the library does.
    var walker: MatroskaReader?
    /// Packets that ``walker`` handed out since the last move.
    var walked = 0
    /// Packets that were handed out already, and that the library is about to read once more.
    var repeated = 0
    private let hint: String?
    private let budget: ProbeBudget
    /// A failure that left the position undefined; only a move clears it.
    var latched: NodeFailure?
    /// Latest end of a packet handed out, in nanoseconds.
    var latestEnd: Int64 = .min
    var lastWasCorrupt = false
    var failuresInARow = 0

    /// FFmpeg's name of the container: `matroska,webm`, `mov,mp4,m4a,3gp,3g2,mj2`, `mpegts`.
    public let formatName: String
    /// Every stream in container order; `parked` says which ones are not read.
    public internal(set) var streams: [StreamFormat]
    /// Length of the title; nil where neither the container nor an estimate says.
    public let duration: Duration?
    /// Whether `duration` was computed from the bit rate, which can be far off.
    public let isDurationGuessed: Bool
    /// Earliest presentation time of any stream; nil where unknown.
    public let startTime: Timestamp?
    /// On the container's own timeline, in order.
    public let chapters: [Chapter]
    /// Title-wide tags, keys as the container writes them.
    public let metadata: [String: String]
    public let attachments: [Attachment]
    /// Packets that could not be read and were passed over.
    public internal(set) var damagedReads = 0
    /// Why ``readPacket()`` returned nil; nil before that.
    public internal(set) var endReason: EndReason?

    /// Recognises and opens the container at the start of `source`.
    ///
    /// `hint` is a file name or an extension for formats that have no signature. Throws `.notMedia` where nothing is
    /// recognised, `.unsupported` for playlists, devices and pictures, `.malformedInput` for a damaged header, and the
    /// source's own failure where it failed.
    public init(
        source: any ByteSource, hint: String? = nil, budget: ProbeBudget = .playback
    ) throws(NodeFailure) {
        let io = try ReaderIO(source)
        let context = try Self.naming(io) { () throws(NodeFailure) -> FormatContext in
            let context = try FormatContext(io: io, hint: hint, budget: budget)
            try context.checkReachable()
            return context
        }
        context.nameUnknownEntries()
        let parking = StreamParking(context)
        if budget.inspectsStreams {
            let code = avformat_find_stream_info(context.raw, nil)
            try io.check()
            guard code >= 0 || context.streamCount > 0 else {
                throw Self.named(
                    LibraryError.failure(code, "reading the streams' parameters", otherwise: .notMedia), io)
            }
        }
        parking.restore(context)
        let formats = (0..<context.streamCount).compactMap { index in
            context.stream(index).map { parking.format(context, $0) }
        }
        let flags = context.raw.pointee.iformat?.pointee.flags ?? 0
        let isUnsigned = budget.inspectsStreams && flags & AVFMT_GENERIC_INDEX != 0
        guard formats.contains(where: { Self.isMedia($0, strictly: isUnsigned) }) else {
            throw Self.named(
                NodeFailure(
                    .notMedia, "'\(context.formatName)' without anything to read in \(formats.count) streams"), io)
        }

        self.context = context
        self.hint = hint
        self.budget = budget
        isInspected = budget.inspectsStreams
        formatName = context.formatName
        clocks = formats.map { TimelineClock($0.timebase) }
        streams = formats
        wanted = formats.map { $0.parked == nil }
        attachments = parking.attachments(context)
        duration = context.duration
        isDurationGuessed = context.raw.pointee.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE
        startTime =
            context.raw.pointee.start_time == shim_nopts
            ? nil : Timestamp(context.raw.pointee.start_time, .microseconds)
        chapters = context.chapters
        metadata = FormatContext.entries(context.raw.pointee.metadata)
        applySelection()
    }

    private static func naming<Value>(
        _ io: ReaderIO, _ body: () throws(NodeFailure) -> Value
    ) throws(NodeFailure) -> Value {
        do throws(NodeFailure) { return try body() } catch { throw named(error, io) }
    }

    /// `failure` with the source's name and size in front, which the container's own messages lack.
    private static func named(_ failure: NodeFailure, _ io: ReaderIO) -> NodeFailure {
        // What the source itself threw says all that already.
        guard failure != io.failure, !io.source.name.isEmpty else { return failure }
        let size = io.source.size.map { $0 == 0 ? " (empty file)" : " (\($0) byte\($0 == 1 ? "" : "s"))" } ?? ""
        var named = failure
        named.message = "\(io.source.name)\(size): \(failure.message)"
        return named
    }

    /// A stream that a title can consist of.
    ///
    /// Formats that are nothing but one elementary stream have no signature and "find" sound without a rate in any
    /// bytes; a container with one is believed even where the parameters are still open.
    private static func isMedia(_ format: StreamFormat, strictly: Bool) -> Bool {
        switch format.type {
        case .video: !strictly || format.video != nil
        case .audio: !strictly || (format.audio?.sampleRate ?? 0) > 0
        case .subtitle, .data: true
        case .attachment: false
        }
    }

    /// Chooses the streams whose packets are handed out; others are skipped inside the demuxer.
    ///
    /// Parked streams stay parked. To be called before the first read: packets of the probe that nobody wants are
    /// dropped, those wanted later are not repeated.
    public mutating func select(_ chosen: Set<StreamID>) {
        for index in streams.indices {
            switch streams[index].parked {
            case nil, .notSelected:
                wanted[index] = chosen.contains(streams[index].id)
                streams[index].parked = wanted[index] ? nil : .notSelected
            case .undecodable, .attachment: wanted[index] = false
            }
        }
        applySelection()
    }

    /// Whether the container has brought streams of which it knew nothing when it was opened.
    package var hasLateStreams: Bool { context.streamCount > streams.count }

    /// Notes what only the container's bytes say: streams whose units are encrypted.
    public mutating func mark(encrypted: Set<StreamID>) {
        for index in streams.indices where encrypted.contains(streams[index].id) { streams[index].isEncrypted = true }
    }

    /// Opens the container once more, at its first packet; what is known of its streams, and what was chosen, stays.
    mutating func reopen() throws(NodeFailure) {
        var bare = budget
        bare.inspectsStreams = false
        context.io.clear()
        var fresh = try FormatReader(source: context.io.source, hint: hint, budget: bare)
        guard fresh.streams.map(\.id) == streams.map(\.id) else {
            throw NodeFailure(.sourceChanged, "\(fresh.streams.count) streams; there were \(streams.count)")
        }
        fresh.streams = streams
        fresh.wanted = wanted
        fresh.damagedReads = damagedReads
        fresh.applySelection()
        if isTrusting { fresh.trustContainer() }
        self = fresh
    }

    func applySelection() {
        for index in 0..<context.streamCount {
            let isWanted = index < wanted.count && wanted[index]
            context.stream(index)?.pointee.discard = isWanted ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }

    /// Tags of one stream, keys as the container writes them; empty for a stream that does not exist.
    public func metadata(of stream: StreamID) -> [String: String] {
        context.stream(stream.index).map { FormatContext.entries($0.pointee.metadata) } ?? [:]
    }
}
