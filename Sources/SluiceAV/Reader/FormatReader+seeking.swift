internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

extension FormatReader {
    /// Moves to a place on one stream's own clock; the other streams follow its position.
    ///
    /// A success says that the container accepted the target, not where it landed: a transport stream lands between
    /// random access points and the first Matroska packet has no decode time. The caller checks the first packet.
    /// Throws `.unsupported` where the source cannot be read in any order, `.malformedInput` where the container finds
    /// no place, or the source's own failure.
    public mutating func seek(
        stream: StreamID, toTicks ticks: Int64, _ mode: SeekMode = .backward
    ) throws(NodeFailure) {
        guard streams.indices.contains(stream.index) else {
            throw NodeFailure(.internalInvariant, "seek on stream \(stream.index) of \(streams.count)")
        }
        // INT64_MIN is the library's "no time"; the outermost targets it takes are one tick inside the range.
        let target = min(max(ticks, .min + 1), .max - 1)
        let (least, most): (Int64, Int64) =
            switch mode {
            case .backward: (.min, target)
            case .forward, .exact: (target, .max)
            }
        try move(describedAs: "stream \(stream.index) to tick \(ticks), \(mode.rawValue)") { raw in
            avformat_seek_file(
                raw, Int32(stream.index), least, target, most, mode == .backward ? AVSEEK_FLAG_BACKWARD : 0)
        }
        if mode == .backward { walkOn(from: stream, target) }
    }

    /// Moves to a byte offset, from which the demuxer finds the next packet itself. For transport and program streams,
    /// whose places on the timeline are estimates anyway.
    public mutating func seek(toByte offset: Int64) throws(NodeFailure) {
        let target = max(0, offset)
        try move(describedAs: "to byte \(target)") { raw in
            avformat_seek_file(raw, -1, 0, target, .max, AVSEEK_FLAG_BYTE)
        }
    }

    /// Moves back to the first packet.
    ///
    /// Matroska is opened once more: a seek leads to a cluster that the cues name, and sound may lie before the first one.
    /// So is what has no place that a seek finds (movie files whose first picture is no random access point).
    public mutating func rewind() throws(NodeFailure) {
        if !formatName.hasPrefix("matroska") || !context.io.source.isSeekable {
            do throws(NodeFailure) { return try seekToStart() } catch {
                guard latched == nil, context.io.source.isSeekable else { throw error }
            }
        }
        do throws(NodeFailure) { try reopen() } catch {
            latched = error
            throw error
        }
    }

    /// Reads the container's index where a seek is what reads it (the cues of Matroska). The position is undefined after
    /// it: a ``rewind()`` or a seek is to follow.
    public mutating func loadIndex() throws(NodeFailure) { try seekToStart() }

    private mutating func seekToStart() throws(NodeFailure) {
        // Without a look at the packets nobody knows where the first one lies: before this, in any case.
        let unknown: Int64 = isInspected ? 0 : -(1 << 50)
        let first = context.raw.pointee.start_time == shim_nopts ? unknown : context.raw.pointee.start_time
        let isUnindexed = (context.raw.pointee.iformat?.pointee.flags ?? 0) & AVFMT_TS_DISCONT != 0
        try move(describedAs: "to the start") { raw in
            let byByte = { avformat_seek_file(raw, -1, 0, 0, 0, AVSEEK_FLAG_BYTE) }
            if isUnindexed, byByte() >= 0 { return 0 }
            let code = avformat_seek_file(raw, -1, .min, first, first, AVSEEK_FLAG_BACKWARD)
            return code >= 0 ? code : byByte()
        }
    }

    private mutating func move(
        describedAs place: String, _ body: (UnsafeMutablePointer<AVFormatContext>) -> Int32
    ) throws(NodeFailure) {
        guard context.io.source.isSeekable else {
            throw NodeFailure(.unsupported, "seek \(place): the source can only be read from front to back")
        }
        context.io.clear()
        stopWalking()
        latched = nil
        endReason = nil
        lastWasCorrupt = false
        latestEnd = .min
        failuresInARow = 0
        let code = body(context.raw)
        if let failure = context.io.failure {
            latched = failure
            throw failure
        }
        guard code >= 0 else { throw LibraryError.failure(code, "seek \(place)") }
    }

    /// Every entry of the container's index of one stream, in its order.
    ///
    /// MP4 has all of them after opening, Matroska after the first seek or ``loadIndex()`` (which reads the cues),
    /// transport streams only what was scanned. Empty for a stream that does not exist.
    public func index(of stream: StreamID) -> [IndexEntry] { entries(stream) { _ in true } }

    /// The index entries at which decoding can begin, in ascending order.
    public func keyframeIndex(_ stream: StreamID) -> [IndexEntry] {
        entries(stream) { $0.flags & AVINDEX_KEYFRAME != 0 && $0.flags & AVINDEX_DISCARD_FRAME == 0 }
            .sorted { ($0.ticks, $0.position) < ($1.ticks, $1.position) }
    }

    private func entries(_ stream: StreamID, where accepts: (shim_index_entry) -> Bool) -> [IndexEntry] {
        guard let raw = context.stream(stream.index) else { return [] }
        return (0..<max(0, avformat_index_get_entries_count(raw))).compactMap { number in
            var entry = shim_index_entry()
            guard shim_index_entry_at(raw, number, &entry) == 0, accepts(entry) else { return nil }
            return IndexEntry(
                ticks: entry.timestamp, position: entry.position, size: Int(max(0, entry.size)),
                isKeyframe: entry.flags & AVINDEX_KEYFRAME != 0)
        }
    }
}
