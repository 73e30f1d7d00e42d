internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

extension FormatContext {
    var formatName: String { raw.pointee.iformat?.pointee.name.map { String(cString: $0) } ?? "" }

    /// Throws where the header lay behind the media of a source that cannot go back: opening would succeed and then
    /// nothing would ever be read.
    func checkReachable() throws(NodeFailure) {
        guard !io.source.isSeekable, let transfer = raw.pointee.pb else { return }
        let position = avio_tell(transfer)
        for index in 0..<streamCount {
            var entry = shim_index_entry()
            guard let stream = stream(index), shim_index_entry_at(stream, 0, &entry) == 0,
                entry.position &+ Int64(ReaderIO.bufferSize) < position
            else { continue }
            throw NodeFailure(
                .unsupported,
                "'\(formatName)' has its index behind the media (first packet at byte \(entry.position), index read by "
                    + "byte \(position)); a source read from front to back needs it in front")
        }
    }

    var duration: Duration? {
        let microseconds = raw.pointee.duration
        return microseconds == shim_nopts || microseconds <= 0 ? nil : .microseconds(microseconds)
    }

    var chapters: [Chapter] {
        let declared = (0..<Int(raw.pointee.nb_chapters)).compactMap { index -> Chapter.Declared? in
            guard let chapter = raw.pointee.chapters[index]?.pointee, let timebase = Timebase(chapter.time_base),
                chapter.start != shim_nopts
            else { return nil }
            return Chapter.Declared(
                title: Self.entries(chapter.metadata)["title"], start: Timestamp(chapter.start, timebase),
                end: chapter.end == shim_nopts ? nil : Timestamp(chapter.end, timebase))
        }
        let start = raw.pointee.start_time == shim_nopts ? 0 : raw.pointee.start_time
        let end = duration.map {
            Timestamp(start.addingReportingOverflow($0.nanoseconds / 1_000).partialValue, .microseconds)
        }
        return Chapter.normalized(declared, containerEnd: end)
    }

    /// The file an attachment stream carries: a cover is a packet, anything else is kept as extradata.
    func attachmentBytes(_ index: Int) -> UnsafeRawBufferPointer {
        guard let stream = stream(index), let parameters = stream.pointee.codecpar else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        if stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0, let data = stream.pointee.attached_pic.data {
            return UnsafeRawBufferPointer(start: data, count: Int(max(0, stream.pointee.attached_pic.size)))
        }
        guard let data = parameters.pointee.extradata else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: data, count: Int(max(0, parameters.pointee.extradata_size)))
    }
}

extension FormatReader {
    /// A copy of an attached file; empty for a stream that is none.
    public func attachmentBytes(of stream: StreamID) -> [UInt8] {
        guard attachments.contains(where: { $0.stream == stream }) else { return [] }
        return Array(context.attachmentBytes(stream.index))
    }
}
