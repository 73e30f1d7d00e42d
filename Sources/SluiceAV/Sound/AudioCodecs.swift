internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

/// What the library at hand can decode and encode of sound.
public enum AudioCodecs {
    /// Whether there is a decoder for what a container calls `codec`.
    public static func canDecode(_ codec: CodecName) -> Bool { decoder(codec) != nil }

    public static func canEncode(_ codec: CodecName) -> Bool { encoder(codec) != nil }

    /// Sample rates in hertz that an encoder takes, in its own order; nil where it takes any, or is missing.
    public static func sampleRates(encoding codec: CodecName) -> [Int]? {
        guard let encoder = encoder(codec) else { return nil }
        let list = [Int32](unsafeUninitializedCapacity: 64) { buffer, count in
            count = Int(max(0, shim_supported_sample_rates(encoder, buffer.baseAddress, 64)))
        }
        return list.isEmpty ? nil : list.map(Int.init)
    }

    /// Names of the channel layouts that an encoder takes; nil where it takes any, or is missing.
    public static func layouts(encoding codec: CodecName) -> [String]? {
        guard let encoder = encoder(codec) else { return nil }
        let list = [AVChannelLayout](unsafeUninitializedCapacity: 64) { buffer, count in
            count = Int(max(0, shim_supported_channel_layouts(encoder, buffer.baseAddress, 64)))
        }
        let names = list.compactMap { layout in
            var layout = layout
            return ChannelLayout.describe(&layout)
        }
        return names.isEmpty ? nil : names
    }

    /// Channels of a layout in their order, by FFmpeg's names (`FL`, `LFE`); empty for a name that is none.
    public static func channels(of layout: String) -> [String] {
        var parsed = AVChannelLayout()
        guard av_channel_layout_from_string(&parsed, layout) == 0 else { return [] }
        defer { av_channel_layout_uninit(&parsed) }
        return (0..<max(0, parsed.nb_channels)).map { index in
            let channel = av_channel_layout_channel_from_index(&parsed, UInt32(index))
            return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
                guard let base = buffer.baseAddress, av_channel_name(base, buffer.count, channel) > 0 else { return "" }
                base[buffer.count - 1] = 0
                return String(cString: base)
            }
        }
    }

    static func decoder(_ codec: CodecName) -> UnsafePointer<AVCodec>? {
        guard let descriptor = avcodec_descriptor_get_by_name(codec.rawValue),
            descriptor.pointee.type == AVMEDIA_TYPE_AUDIO
        else { return nil }
        return avcodec_find_decoder(descriptor.pointee.id)
    }

    static func encoder(_ codec: CodecName) -> UnsafePointer<AVCodec>? {
        guard let descriptor = avcodec_descriptor_get_by_name(codec.rawValue),
            descriptor.pointee.type == AVMEDIA_TYPE_AUDIO
        else { return nil }
        return avcodec_find_encoder(descriptor.pointee.id)
    }
}
