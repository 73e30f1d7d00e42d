internal import CFFmpeg
import SluiceBitstream
import SluiceCore

/// What a Matroska file's header says, where it and the library's streams agree so far that clusters can be read without
/// the library.
struct MatroskaLayout {
    struct Track {
        /// Of the stream in the reader's list.
        var index: Int
        var isPicture: Bool
        /// Ticks of a frame; 0 where the track does not say. Beyond 2^63 in no file.
        var defaultDuration: UInt64
        var timestampScale: UInt64
        /// Ticks taken off every stamp.
        var delay: Int64
    }

    /// As blocks call the tracks, in the order of the streams.
    let numbers: [UInt64]
    let tracks: [Track]
    /// Whether each can be read this way.
    let isPlain: [Bool]
    /// Where the segment and the source end.
    let end: Int64

    /// Bytes of the description of tracks, and of the segment, beyond which a file is left to the library.
    private static let elementLimit: Int64 = 1 << 20
    private static let elementCountLimit = 64

    /// Reads the elements before the first cluster.
    ///
    /// - Parameter cluster: where the library says that the first cluster begins.
    /// - Returns: nil where the file is left to the library.
    /// - Throws: the source's failure.
    init?(_ source: any ByteSource, streams: [StreamFormat], cluster: Int64) throws(NodeFailure) {
        guard let size = source.size, cluster > 0, cluster <= size - 16 else { return nil }
        guard let header = try Self.head(source, at: 0, size), header.id == MatroskaID.header,
            let headerSize = header.size, headerSize < size - 32
        else { return nil }
        let segmentStart = headerSize + Int64(header.length)
        guard let segment = try Self.head(source, at: segmentStart, size), segment.id == MatroskaID.segment else {
            return nil
        }
        var position = segmentStart + Int64(segment.length)
        // A file that was cut off, or goes on behind its segment, ends as the library says.
        guard segment.size.map({ $0 == size - position }) ?? true else { return nil }
        end = size
        var found: [UInt32: [UInt8]] = [:]
        var count = 0
        while position < cluster {
            count += 1
            guard count <= Self.elementCountLimit, let head = try Self.head(source, at: position, size),
                MatroskaID.isBesideClusters(head.id), let length = head.size,
                length <= size - position - Int64(head.length)
            else { return nil }
            position += Int64(head.length)
            if head.id == MatroskaID.tracks || head.id == MatroskaID.info {
                guard found[head.id] == nil, length <= Self.elementLimit else { return nil }
                found[head.id] = try Self.bytes(source, position..<(position + length))
            }
            position += length
        }
        guard position == cluster, let head = try Self.head(source, at: cluster, size), head.id == MatroskaID.cluster,
            let info = found[MatroskaID.info], let list = found[MatroskaID.tracks],
            let header = info.withUnsafeBytes({ info in
                list.withUnsafeBytes { MatroskaHeader(info: info, tracks: $0) }
            }),
            Self.agree(header, streams)
        else { return nil }
        numbers = header.tracks.map(\.number)
        isPlain = zip(header.tracks, streams).map(Self.isPlain)
        tracks = header.tracks.enumerated().map { index, track in
            Track(
                index: index, isPicture: track.type == 1, defaultDuration: track.defaultDuration,
                timestampScale: header.timestampScale,
                delay: av_rescale_q(
                    Int64(clamping: track.codecDelay), AVRational(num: 1, den: 1_000_000_000),
                    AVRational(
                        num: streams[index].timebase.numerator, den: streams[index].timebase.denominator)))
        }
    }

    /// Whether the tracks are the streams, one for one; files attached follow them.
    private static func agree(_ header: MatroskaHeader, _ streams: [StreamFormat]) -> Bool {
        guard header.tracks.count <= streams.count,
            streams[header.tracks.count...].allSatisfy({ $0.type == .attachment })
        else { return false }
        return zip(header.tracks, streams).allSatisfy { track, stream in
            let isSame =
                switch stream.type {
                case .video: track.type == 1
                case .audio: track.type == 2
                case .subtitle: track.type == 17
                case .data, .attachment: track.type != 1 && track.type != 2
                }
            let scale = Int64(header.timestampScale).multipliedReportingOverflow(by: Int64(stream.timebase.denominator))
            return isSame && header.timestampScale < 1 << 31 && !scale.overflow
                && scale.partialValue == Int64(stream.timebase.numerator) * 1_000_000_000
        }
    }

    /// Whether frames of the track are what is in its blocks, stamped as its blocks are.
    private static func isPlain(_ track: MatroskaTrack, _ stream: StreamFormat) -> Bool {
        // The library takes a delay beyond 2^63 for a negative one.
        guard track.isPlain, track.codecDelay < 1 << 63, stream.parked == nil || stream.parked == .notSelected else {
            return false
        }
        switch stream.codec {
        case "h264": return track.codecID == "V_MPEG4/ISO/AVC"
        case "hevc": return track.codecID == "V_MPEGH/ISO/HEVC"
        case "av1": return track.codecID == "V_AV1"
        case "vp9": return track.codecID == "V_VP9"
        case "aac": return track.codecID == "A_AAC" || track.codecID.hasPrefix("A_AAC/")
        // The library distrusts durations at what it takes for the default rate.
        case "ac3": return track.codecID == "A_AC3" && (track.samplingFrequency.map { $0 != 8_000 } ?? false)
        case "eac3": return track.codecID == "A_EAC3"
        case "flac": return track.codecID == "A_FLAC"
        case "alac": return track.codecID == "A_ALAC"
        default: return false
        }
    }

    // MARK: - Bytes

    /// Nil where no element begins.
    private static func head(
        _ source: any ByteSource, at position: Int64, _ size: Int64
    ) throws(NodeFailure) -> EBMLHead? {
        let end = min(size, position + Int64(EBMLHead.longest))
        guard position < end else { return nil }
        let bytes = try bytes(source, position..<end)
        guard case .head(let head) = bytes.withUnsafeBytes({ EBMLHead.read($0, at: 0) }) else { return nil }
        return head
    }

    private static func bytes(_ source: any ByteSource, _ range: Range<Int64>) throws(NodeFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < bytes.count {
            let read: Int
            do {
                read = try bytes.withUnsafeMutableBytes { buffer in
                    try source.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]),
                        at: range.lowerBound + Int64(done))
                }
            } catch {
                throw error as? NodeFailure ?? NodeFailure(.internalInvariant, "\(error)")
            }
            guard read > 0 else {
                throw NodeFailure(.sourceChanged, "source ended at byte \(range.lowerBound + Int64(done))")
            }
            done += read
        }
        return bytes
    }
}
