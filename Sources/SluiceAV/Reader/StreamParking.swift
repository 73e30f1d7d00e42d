internal import CFFmpeg
internal import CMediaShim
import SluiceCore

/// Streams that would cost the probe its whole budget, hidden from it and restored afterwards.
///
/// A cover picture has no second packet and sound without a decoder never completes its parameters; the probe would
/// read to its bound for either.
struct StreamParking {
    private var types: [Int: (type: AVMediaType, id: AVCodecID)] = [:]
    private var pictures: Set<Int> = []

    init(_ context: FormatContext) {
        for index in 0..<context.streamCount {
            guard let stream = context.stream(index), let parameters = stream.pointee.codecpar else { continue }
            if stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 {
                pictures.insert(index)
                parameters.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
                stream.pointee.discard = AVDISCARD_ALL
            } else if Self.cannotComplete(parameters.pointee) {
                types[index] = (parameters.pointee.codec_type, parameters.pointee.codec_id)
                parameters.pointee.codec_type = AVMEDIA_TYPE_DATA
                stream.pointee.discard = AVDISCARD_ALL
            }
        }
    }

    private static func cannotComplete(_ parameters: AVCodecParameters) -> Bool {
        guard parameters.codec_type == AVMEDIA_TYPE_AUDIO, avcodec_find_decoder(parameters.codec_id) == nil else {
            return false
        }
        // Without a number and a tag the library is still finding out what it is.
        if parameters.codec_id == AV_CODEC_ID_NONE { return parameters.codec_tag != 0 }
        return parameters.sample_rate <= 0 || parameters.ch_layout.nb_channels <= 0
    }

    func restore(_ context: FormatContext) {
        for (index, original) in types {
            guard let parameters = context.stream(index)?.pointee.codecpar else { continue }
            parameters.pointee.codec_type = original.type
            parameters.pointee.codec_id = original.id
        }
    }

    func format(_ context: FormatContext, _ stream: UnsafeMutablePointer<AVStream>) -> StreamFormat {
        let index = Int(stream.pointee.index)
        let isPicture =
            pictures.contains(index) || stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
        let type = isPicture ? .attachment : MediaType(stream.pointee.codecpar.pointee.codec_type)
        var format = StreamFormat(context, stream, type: type)
        // The demuxer itself sets tracks aside that it has used up, such as the text of chapters.
        if stream.pointee.discard == AVDISCARD_ALL { format.parked = .notSelected }
        if type == .attachment { format.parked = .attachment }
        if types[index] != nil { format.parked = .undecodable }
        return format
    }

    func attachments(_ context: FormatContext) -> [Attachment] {
        (0..<context.streamCount).compactMap { index in
            guard let stream = context.stream(index), format(context, stream).type == .attachment else { return nil }
            let tags = FormatContext.entries(stream.pointee.metadata)
            let codec = CodecName(stream.pointee.codecpar.pointee)
            let mimeType = tags["mimetype"]
            return Attachment(
                stream: StreamID(index),
                kind: Self.kind(stream, codec, mimeType), codec: codec, fileName: tags["filename"],
                mimeType: mimeType, byteCount: context.attachmentBytes(index).count)
        }
    }

    private static func kind(
        _ stream: UnsafeMutablePointer<AVStream>, _ codec: CodecName, _ mimeType: String?
    ) -> Attachment.Kind {
        if stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 { return .picture }
        let mime = mimeType?.lowercased() ?? ""
        if codec == "ttf" || codec == "otf" || mime.hasPrefix("font/") || mime.contains("font")
            || mime.contains("truetype")
        {
            return .font
        }
        return mime.hasPrefix("image/") ? .picture : .other
    }
}
