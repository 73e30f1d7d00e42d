internal import CFFmpeg
internal import CMediaShim
import Glibc
import SluiceCore

/// Owns an open `AVFormatContext` and the byte transfer under it; frees both, in that order.
final class FormatContext {
    let raw: UnsafeMutablePointer<AVFormatContext>
    let io: ReaderIO

    /// Recognises and opens the container. Nothing but `io` is ever read: no protocol, no second resource.
    init(io: ReaderIO, hint: String?, budget: ProbeBudget) throws(NodeFailure) {
        let format = try Self.identify(io, hint: hint)
        guard let context = avformat_alloc_context() else { LibraryError.outOfMemory() }
        context.pointee.pb = io.raw
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_GENPTS
        context.pointee.probesize = Int64(budget.bytes)
        context.pointee.max_analyze_duration = budget.analyze.nanoseconds / 1_000
        context.pointee.skip_estimate_duration_from_pts =
            budget.estimatesDuration && io.source.isSeekable ? 0 : 1
        context.pointee.io_open = { _, _, _, _, _ in shim_averror(EPERM) }
        context.pointee.interrupt_callback = AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<ReaderIO>.fromOpaque(opaque).takeUnretainedValue().failure == nil ? 0 : 1
            },
            opaque: Unmanaged.passUnretained(io).toOpaque())
        // An empty list is a list: it allows no protocol. The format list keeps demuxers from opening nested ones.
        guard av_opt_set(context, "protocol_whitelist", "", 0) >= 0,
            av_opt_set(context, "format_whitelist", format.pointee.name, 0) >= 0
        else {
            avformat_free_context(context)
            throw NodeFailure(.internalInvariant, "libavformat refuses an empty protocol list")
        }

        var options: OpaquePointer?
        av_dict_set(&options, "enable_drefs", "0", 0)
        av_dict_set(&options, "use_absolute_path", "0", 0)
        av_dict_set(&options, "scan_all_pmts", "1", 0)
        defer { av_dict_free(&options) }

        var opened: UnsafeMutablePointer<AVFormatContext>? = context
        let code = avformat_open_input(&opened, "", format, &options)
        if code >= 0, io.failure != nil { avformat_close_input(&opened) }
        try io.check()
        guard code >= 0, let opened else {
            throw LibraryError.failure(code, "opening '\(String(cString: format.pointee.name))'")
        }
        raw = opened
        self.io = io
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = raw
        avformat_close_input(&context)
    }

    /// Scores at or below this come from formats without a signature that found a few plausible bytes.
    private static let leastScore: Int32 = 5

    private static func identify(_ io: ReaderIO, hint: String?) throws(NodeFailure) -> UnsafePointer<AVInputFormat> {
        if io.source.size == 0 { throw NodeFailure(.notMedia, "nothing to read; expected a media container") }
        var format: UnsafePointer<AVInputFormat>?
        let score = av_probe_input_buffer2(io.raw, &format, fileName(hint), nil, 0, 0)
        try io.check()
        if FormatFence.isPlaylist(io.head) {
            throw NodeFailure(
                .unsupported, "HLS playlist: it names other resources, which a container reader never opens")
        }
        guard score >= 0, let format else {
            throw NodeFailure(.notMedia, "no known container in the first \(io.furthest) bytes")
        }
        let name = String(cString: format.pointee.name)
        try FormatFence.check(name: name, opensItsOwnInput: format.pointee.flags & AVFMT_NOFILE != 0)
        let isExpected = format.pointee.extensions.map { av_match_ext(fileName(hint), $0) != 0 } ?? false
        guard score > leastScore || isExpected else {
            throw NodeFailure(
                .notMedia, "bytes look like '\(name)' with a score of \(score); expected more than \(leastScore)")
        }
        return format
    }

    /// A name that carries only the extension: some formats have no signature and are known by it alone.
    private static func fileName(_ hint: String?) -> String {
        guard let suffix = hint?.split(separator: ".").last, suffix.utf8.count <= 8,
            suffix.utf8.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) })
        else { return "" }
        return "source.\(suffix)"
    }

    /// Stream `index` of the container; nil where there is none.
    func stream(_ index: Int) -> UnsafeMutablePointer<AVStream>? {
        guard index >= 0, index < streamCount else { return nil }
        return raw.pointee.streams[index]
    }

    /// Movie files name AV1 with Dolby Vision alone `dav1`, which libavformat before 7 does not know.
    func nameUnknownEntries() {
        for index in 0..<streamCount {
            guard let parameters = stream(index)?.pointee.codecpar,
                parameters.pointee.codec_id == AV_CODEC_ID_NONE,
                parameters.pointee.codec_tag == shim_tag(0x64, 0x61, 0x76, 0x31)
            else { continue }
            parameters.pointee.codec_id = AV_CODEC_ID_AV1
        }
    }

    var streamCount: Int { Int(raw.pointee.nb_streams) }

    /// Entries of a dictionary, at most 512, each value cut at 64 KiB.
    static func entries(_ dictionary: OpaquePointer?) -> [String: String] {
        var result: [String: String] = [:]
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while result.count < 512, let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            entry = next
            guard let key = next.pointee.key, let value = next.pointee.value else { continue }
            let length = min(strlen(value), 65_536)
            result[String(cString: key)] = String(
                decoding: UnsafeRawBufferPointer(start: value, count: length), as: UTF8.self)
        }
        return result
    }
}
