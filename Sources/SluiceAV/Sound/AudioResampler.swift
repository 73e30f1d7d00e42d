internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

/// Brings decoded sound to one rate, layout and type of samples.
///
/// What comes in is looked at frame by frame: what a container or a probe says of it is only a guess.
public struct AudioResampler: ~Copyable {
    private var raw: OpaquePointer?
    private let format: AVSampleFormat
    private let sampleRate: Int32
    private let layoutName: String
    private var layout = AVChannelLayout()
    /// What the context was made for.
    private var source: (format: Int32, rate: Int32, layout: AVChannelLayout)?
    private let stream: StreamID

    /// - Throws: `.invalidOption` for a layout or type that FFmpeg does not know.
    public init(
        stream: StreamID, sampleRate: Int, layout: String, sampleFormat: String
    ) throws(NodeFailure) {
        format = av_get_sample_fmt(sampleFormat)
        self.stream = stream
        self.sampleRate = Int32(clamping: sampleRate)
        layoutName = layout
        let isKnown = ChannelLayout.set(&self.layout, layout, channels: 0)
        guard format != AV_SAMPLE_FMT_NONE, self.sampleRate > 0, isKnown else {
            throw NodeFailure(.invalidOption, "'\(sampleFormat)' in '\(layout)' at \(sampleRate) Hz")
        }
    }

    deinit {
        var context = raw
        swr_free(&context)
        var own = layout
        av_channel_layout_uninit(&own)
        if var other = source?.layout { av_channel_layout_uninit(&other) }
    }

    /// What the frame's samples come to; nil where none are complete yet. Its time is not set.
    ///
    /// - Throws: `.unsupported` where there is no way from the one layout to the other.
    public mutating func convert(_ frame: Frame) throws(NodeFailure) -> Frame? {
        try prepare(frame)
        guard let raw else { return frame }
        let input = frame.storage.raw
        let count = swr_get_out_samples(raw, input.pointee.nb_samples)
        return try output(count) { target in
            swr_convert(
                raw, target.pointee.extended_data, target.pointee.nb_samples,
                UnsafeMutableRawPointer(input.pointee.extended_data)?.assumingMemoryBound(
                    to: UnsafePointer<UInt8>?.self), input.pointee.nb_samples)
        }
    }

    /// What is left in it; it begins anew afterwards.
    public mutating func drain() throws(NodeFailure) -> Frame? {
        defer { reset() }
        guard let raw, source?.rate != sampleRate else { return nil }
        return try output(swr_get_out_samples(raw, 0)) { target in
            swr_convert(raw, target.pointee.extended_data, target.pointee.nb_samples, nil, 0)
        }
    }

    /// Forgets what went in.
    public mutating func reset() {
        swr_free(&raw)
        if var other = source?.layout { av_channel_layout_uninit(&other) }
        source = nil
    }

    private func output(
        _ count: Int32, _ fill: (UnsafeMutablePointer<AVFrame>) -> Int32
    ) throws(NodeFailure) -> Frame? {
        guard count > 0 else { return nil }
        guard let target = av_frame_alloc() else { LibraryError.outOfMemory() }
        var owned: UnsafeMutablePointer<AVFrame>? = target
        target.pointee.format = format.rawValue
        target.pointee.sample_rate = sampleRate
        target.pointee.nb_samples = count
        var own = layout
        av_channel_layout_copy(&target.pointee.ch_layout, &own)
        var code = av_frame_get_buffer(target, 0)
        if code >= 0 { code = fill(target) }
        guard code > 0 else {
            av_frame_free(&owned)
            if code == 0 { return nil }
            throw LibraryError.failure(code, "stream \(stream.index): converting samples")
        }
        target.pointee.nb_samples = code
        return Frame(adopting: target, stream: stream, clock: TimelineClock(Timebase(hertz: sampleRate)))
    }

    private mutating func prepare(_ frame: Frame) throws(NodeFailure) {
        let input = frame.storage.raw
        if let known = source, known.format == input.pointee.format, known.rate == input.pointee.sample_rate {
            var layout = known.layout
            if av_channel_layout_compare(&layout, &input.pointee.ch_layout) == 0 { return }
        }
        reset()
        var given = AVChannelLayout()
        av_channel_layout_copy(&given, &input.pointee.ch_layout)
        source = (input.pointee.format, input.pointee.sample_rate, given)
        // Where nothing says which channels they are, they are those that are wanted, if there are as many.
        var named = AVChannelLayout()
        if given.order == AV_CHANNEL_ORDER_UNSPEC {
            if given.nb_channels == layout.nb_channels {
                av_channel_layout_copy(&named, &layout)
            } else {
                av_channel_layout_default(&named, given.nb_channels)
            }
        } else {
            av_channel_layout_copy(&named, &given)
        }
        defer { av_channel_layout_uninit(&named) }
        var own = layout
        var code = swr_alloc_set_opts2(
            &raw, &own, format, sampleRate, &named, AVSampleFormat(input.pointee.format), input.pointee.sample_rate,
            0, nil)
        if code >= 0 { code = swr_init(raw) }
        guard code >= 0 else {
            reset()
            throw LibraryError.failure(
                code,
                "stream \(stream.index): \(frame.channelLayout ?? "\(frame.channels) channels") to \(layoutName)",
                otherwise: .unsupported)
        }
    }
}
