internal import CFFmpeg
internal import CMediaShim
import SluiceCore

extension StreamFormat {
    /// What the container and the probe say about a stream.
    ///
    /// `type` is given because the reader reclassifies covers. Attachments keep their file out of `extradata`.
    init(_ context: FormatContext, _ stream: UnsafeMutablePointer<AVStream>, type: MediaType) {
        let parameters = stream.pointee.codecpar.pointee
        self.init(
            id: StreamID(Int(stream.pointee.index)), type: type, codec: CodecName(parameters),
            timebase: Timebase(stream.pointee.time_base) ?? .microseconds)
        codecTag = parameters.codec_tag
        containerNumber = Int(stream.pointee.id)
        if type != .attachment, let bytes = parameters.extradata, parameters.extradata_size > 0 {
            extradata = Array(UnsafeBufferPointer(start: bytes, count: Int(parameters.extradata_size)))
        }
        // The library's "unknown" is -99 for both.
        profile = parameters.profile >= 0 ? Int(parameters.profile) : nil
        level = parameters.level >= 0 ? Int(parameters.level) : nil
        let tags = FormatContext.entries(stream.pointee.metadata)
        bitRate = Self.bitRate(parameters.bit_rate, tags)
        startTicks = stream.pointee.start_time == shim_nopts ? nil : stream.pointee.start_time
        durationTicks =
            stream.pointee.duration == shim_nopts || stream.pointee.duration < 0 ? nil : stream.pointee.duration
        disposition = Disposition(library: stream.pointee.disposition)
        language = Self.language(tags)
        title = tags["title"].flatMap { $0.isEmpty ? nil : $0 }
        sideData = Self.sideData(stream)
        switch type {
        case .video, .attachment:
            if parameters.width > 0, parameters.height > 0 {
                video = VideoFormat(context, stream, parameters, sideData)
                video?.stereoMode = tags["stereo_mode"].flatMap { $0 == "mono" ? nil : $0 }
            }
        case .audio: audio = AudioFormat(parameters)
        case .subtitle, .data: break
        }
    }

    /// The codec's own figure, else the statistics tag that Matroska writers leave (`BPS`, `BPS-eng`).
    private static func bitRate(_ declared: Int64, _ tags: [String: String]) -> Int? {
        if declared > 0 { return Int(declared) }
        let tag = tags.filter { $0.key == "BPS" || $0.key.hasPrefix("BPS-") }.min { $0.key < $1.key }
        return tag.flatMap { Int($0.value) }.flatMap { $0 > 0 ? $0 : nil }
    }

    private static func language(_ tags: [String: String]) -> String? {
        guard let text = tags["language"]?.lowercased(), !text.isEmpty, text != "und", text.utf8.count <= 64 else {
            return nil
        }
        return text
    }

    private static func sideData(_ stream: UnsafeMutablePointer<AVStream>) -> [SideData] {
        (0..<max(0, shim_stream_side_data_count(stream))).compactMap { index in
            var type = AVPacketSideDataType(0)
            var bytes: UnsafePointer<UInt8>?
            var size = 0
            guard shim_stream_side_data_at(stream, index, &type, &bytes, &size) == 0, let bytes else { return nil }
            return SideData(
                kind: SideData.Kind(type), bytes: Array(UnsafeBufferPointer(start: bytes, count: size)))
        }
    }
}

extension CodecName {
    /// The descriptor's name; formats the library knows no number for are named after their tag where it is known here.
    init(_ parameters: AVCodecParameters) {
        if parameters.codec_id == AV_CODEC_ID_NONE, parameters.codec_tag == shim_tag(0x61, 0x63, 0x2D, 0x34) {
            self.init(rawValue: "ac4")
        } else {
            self.init(rawValue: avcodec_get_name(parameters.codec_id).map { String(cString: $0) } ?? "none")
        }
    }
}

extension MediaType {
    init(_ type: AVMediaType) {
        switch type {
        case AVMEDIA_TYPE_VIDEO: self = .video
        case AVMEDIA_TYPE_AUDIO: self = .audio
        case AVMEDIA_TYPE_SUBTITLE: self = .subtitle
        case AVMEDIA_TYPE_ATTACHMENT: self = .attachment
        default: self = .data
        }
    }
}

extension Disposition {
    private static let table: [(Int32, Disposition)] = [
        (AV_DISPOSITION_DEFAULT, .isDefault), (AV_DISPOSITION_FORCED, .forced),
        (AV_DISPOSITION_COMMENT, .commentary), (AV_DISPOSITION_HEARING_IMPAIRED, .hearingImpaired),
        (AV_DISPOSITION_VISUAL_IMPAIRED, .visualImpaired), (AV_DISPOSITION_ATTACHED_PIC, .attachedPicture),
        (AV_DISPOSITION_ORIGINAL, .original), (AV_DISPOSITION_DUB, .dub), (AV_DISPOSITION_CAPTIONS, .captions),
    ]

    init(library flags: Int32) {
        self = []
        for (flag, meaning) in Self.table where flags & flag != 0 { formUnion(meaning) }
    }
}

extension AudioFormat {
    init(_ parameters: AVCodecParameters) {
        var parameters = parameters
        self.init(
            sampleRate: Int(max(0, parameters.sample_rate)), channels: Int(max(0, parameters.ch_layout.nb_channels)))
        layout = ChannelLayout.describe(&parameters.ch_layout)
        frameSize = parameters.frame_size > 0 ? Int(parameters.frame_size) : nil
        priming = Int(max(0, parameters.initial_padding))
        sampleFormat = av_get_sample_fmt_name(AVSampleFormat(parameters.format)).map { String(cString: $0) }
        let bits =
            parameters.bits_per_raw_sample > 0 ? parameters.bits_per_raw_sample : parameters.bits_per_coded_sample
        bitsPerSample = bits > 0 ? Int(bits) : nil
        blockAlign = Int(max(0, parameters.block_align))
        codedBits = Int(max(0, parameters.bits_per_coded_sample))
    }
}
