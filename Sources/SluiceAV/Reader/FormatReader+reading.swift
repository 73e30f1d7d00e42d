internal import CFFmpeg
internal import CMediaShim
import Glibc
public import SluiceCore

extension FormatReader {
    /// Unreadable packets in a row after which the container counts as damaged for good.
    static let toleratedFailures = 64

    /// Takes packets as the container frames them, where it holds whole units with times: no parser looks into the units
    /// (it copies every picture), marks of random access points are the container's own, no time is made up.
    ///
    /// To be called once, after ``select(_:)`` and before the first read or a ``rewind()``. No effect on other containers,
    /// nor where a selected codec needs its parser.
    public mutating func trustContainer() {
        let isFramed = formatName.hasPrefix("matroska") || formatName.hasPrefix("mov")
        let isPlain = streams.allSatisfy { !wanted[$0.id.index] || Self.wholeUnits.contains($0.codec) }
        guard isFramed, isPlain else { return }
        isTrusting = true
        context.raw.pointee.flags |= AVFMT_FLAG_NOPARSE
        context.raw.pointee.flags &= ~AVFMT_FLAG_GENPTS
        context.io.readDirectly()
        beginWalking()
    }

    /// Codecs whose units in Matroska and MP4 are what the parser would make of them.
    private static let wholeUnits: Set<CodecName> = [
        "h264", "hevc", "av1", "vp9", "aac", "ac3", "eac3", "flac", "alac",
    ]

    /// The next packet of a selected stream, in container order; nil at the end, with ``endReason`` set.
    ///
    /// Throws the source's own failure where a read failed: that is never an end. The failure stands until the reader
    /// is moved, because the place where it stopped is undefined. Single unreadable packets are counted in
    /// ``damagedReads`` and passed over; 64 in a row throw `.malformedInput`.
    public mutating func readPacket() throws(NodeFailure) -> Packet? {
        if let latched { throw latched }
        if endReason != nil { return nil }
        if let packet = try walk() { return packet }
        if endReason != nil { return nil }
        isUntouched = false
        var packet = av_packet_alloc()
        defer { av_packet_free(&packet) }
        guard let filled = packet else { LibraryError.outOfMemory() }
        while true {
            let code = av_read_frame(context.raw, filled)
            if let failure = context.io.failure {
                latched = failure
                throw failure
            }
            guard code >= 0 else {
                if try isEnd(after: code) { return nil }
                continue
            }
            failuresInARow = 0
            let index = Int(filled.pointee.stream_index)
            guard index >= 0, index < wanted.count, wanted[index] else {
                if index >= wanted.count { applySelection() }
                av_packet_unref(filled)
                continue
            }
            guard repeated == 0 else {
                repeated -= 1
                av_packet_unref(filled)
                continue
            }
            packet = nil
            let result = Packet(adopting: filled, clock: clocks[index])
            note(result)
            return result
        }
    }

    /// Decides what a refusal of the demuxer means; false means that the next packet may be tried.
    private mutating func isEnd(after code: Int32) throws(NodeFailure) -> Bool {
        if code == shim_averror_eof {
            endReason = reasonForEnd()
            return true
        }
        if code != shim_averror(EAGAIN) {
            if context.io.isAtEnd {
                endReason = .truncated("the container goes on where the source ends: \(LibraryError.text(code))")
                return true
            }
            damagedReads &+= 1
        }
        failuresInARow += 1
        let isTolerable = code == shim_averror_invalid_data || code == shim_averror(EAGAIN)
        guard isTolerable, failuresInARow < Self.toleratedFailures else {
            let place = context.raw.pointee.pb.map { "byte \(avio_tell($0))" } ?? "an unknown place"
            let failure = LibraryError.failure(code, "reading a packet near \(place), attempt \(failuresInARow)")
            latched = failure
            throw failure
        }
        return false
    }

    mutating func note(_ packet: Packet) {
        lastWasCorrupt = packet.isCorrupt
        let start = packet.presentationTicks ?? packet.decodeTicks
        guard let start else { return }
        let end = start.addingReportingOverflow(packet.durationTicks)
        guard !end.overflow else { return }
        latestEnd = max(latestEnd, clocks[packet.stream.index].nanoseconds(end.partialValue))
    }

    /// A file that was cut off looks like one that ended; three things tell them apart.
    func reasonForEnd() -> EndReason {
        if lastWasCorrupt { return .truncated("the last packet is incomplete") }
        if let size = context.io.source.size {
            for index in wanted.indices where wanted[index] {
                guard let last = lastIndexEntry(index), last.position &+ Int64(last.size) > size else { continue }
                return .truncated(
                    "the index of stream \(index) goes on to byte \(last.position); the source has \(size)")
            }
        }
        // Selected streams may be shorter than the title, so only a complete selection is compared.
        let isComplete = streams.allSatisfy { $0.parked != .notSelected }
        if isComplete, latestEnd > .min, context.raw.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM,
            let duration
        {
            let start = startTime?.nanoseconds ?? 0
            let missing = duration.nanoseconds.subtractingReportingOverflow(latestEnd &- start).partialValue
            if missing > max(5_000_000_000, duration.nanoseconds / 20) {
                return .truncated("the last packet ends \(missing / 1_000_000) ms before the declared end")
            }
        }
        return .sourceEnded
    }

    private func lastIndexEntry(_ index: Int) -> shim_index_entry? {
        guard let stream = context.stream(index) else { return nil }
        var entry = shim_index_entry()
        let count = avformat_index_get_entries_count(stream)
        return shim_index_entry_at(stream, count - 1, &entry) == 0 ? entry : nil
    }
}
