internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

/// Samples that wait to be encoded, as one run without holes.
public struct SampleQueue: ~Copyable {
    /// Samples it holds at most, for each channel: about three minutes at 48 kHz, which nothing here comes near.
    public static let limit = 1 << 23

    private let raw: OpaquePointer
    private let stream: StreamID
    private let format: AVSampleFormat
    private let sampleRate: Int32
    private var layout = AVChannelLayout()

    /// - Throws: `.invalidOption` for a layout or type that FFmpeg does not know.
    public init(stream: StreamID, sampleRate: Int, layout: String, sampleFormat: String) throws(NodeFailure) {
        let format = av_get_sample_fmt(sampleFormat)
        var parsed = AVChannelLayout()
        guard format != AV_SAMPLE_FMT_NONE, ChannelLayout.set(&parsed, layout, channels: 0) else {
            throw NodeFailure(.invalidOption, "'\(sampleFormat)' in '\(layout)'")
        }
        guard let queue = av_audio_fifo_alloc(format, parsed.nb_channels, 8_192) else { LibraryError.outOfMemory() }
        raw = queue
        self.stream = stream
        self.format = format
        self.sampleRate = Int32(clamping: sampleRate)
        self.layout = parsed
    }

    deinit {
        av_audio_fifo_free(raw)
        var own = layout
        av_channel_layout_uninit(&own)
    }

    /// Samples of each channel.
    public var count: Int { Int(max(0, av_audio_fifo_size(raw))) }

    /// Appends a part of a frame that has the queue's own rate, layout and type.
    ///
    /// - Parameter skipped: samples at its start that are left out.
    /// - Throws: `.limitExceeded` where it is full.
    public mutating func append(_ frame: Frame, skipping skipped: Int = 0) throws(NodeFailure) {
        let samples = frame.sampleCount - max(0, skipped)
        guard samples > 0 else { return }
        try checkRoom(samples)
        let input = frame.storage.raw
        let isPlanar = av_sample_fmt_is_planar(format) != 0
        let step = Int(av_get_bytes_per_sample(format)) * (isPlanar ? 1 : Int(layout.nb_channels))
        let planes = isPlanar ? Int(layout.nb_channels) : 1
        withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: planes) { pointers in
            for plane in 0..<planes {
                pointers[plane] = input.pointee.extended_data[plane].map {
                    UnsafeMutableRawPointer($0) + max(0, skipped) * step
                }
            }
            _ = av_audio_fifo_write(raw, pointers.baseAddress, Int32(samples))
        }
    }

    /// - Throws: `.limitExceeded` where it is full.
    public mutating func appendSilence(_ samples: Int) throws(NodeFailure) {
        guard samples > 0 else { return }
        try checkRoom(samples)
        var rest = samples
        while rest > 0 {
            let part = min(rest, 65_536)
            let silence = try frame(part)
            av_samples_set_silence(
                silence.storage.raw.pointee.extended_data, 0, Int32(part), layout.nb_channels, format)
            try append(silence)
            rest -= part
        }
    }

    /// Takes the first samples out; nil while there are fewer.
    ///
    /// - Parameter ticks: time of the first one, in samples.
    public mutating func take(_ samples: Int, at ticks: Int64) throws(NodeFailure) -> Frame? {
        guard samples > 0, count >= samples else { return nil }
        var target = try frame(samples)
        let code = withUnsafeMutablePointer(to: &target.storage.raw.pointee.extended_data) { planes in
            planes.pointee.map { data in
                data.withMemoryRebound(to: UnsafeMutableRawPointer?.self, capacity: Int(layout.nb_channels)) {
                    av_audio_fifo_read(raw, $0, Int32(samples))
                }
            } ?? -1
        }
        guard code == samples else {
            throw NodeFailure(.internalInvariant, "\(code) samples came of \(samples)")
        }
        target.setPresentationTicks(ticks)
        return target
    }

    public mutating func drop(_ samples: Int) {
        _ = av_audio_fifo_drain(raw, Int32(clamping: min(max(0, samples), count)))
    }

    private borrowing func checkRoom(_ samples: Int) throws(NodeFailure) {
        guard count + samples <= Self.limit else {
            throw NodeFailure(
                .limitExceeded, "stream \(stream.index): \(count + samples) samples wait; expected \(Self.limit)")
        }
    }

    private borrowing func frame(_ samples: Int) throws(NodeFailure) -> Frame {
        guard let target = av_frame_alloc() else { LibraryError.outOfMemory() }
        target.pointee.format = format.rawValue
        target.pointee.sample_rate = sampleRate
        target.pointee.nb_samples = Int32(samples)
        var own = layout
        av_channel_layout_copy(&target.pointee.ch_layout, &own)
        guard av_frame_get_buffer(target, 0) >= 0 else { LibraryError.outOfMemory() }
        return Frame(adopting: target, stream: stream, clock: TimelineClock(Timebase(hertz: sampleRate)))
    }
}

extension Frame {
    /// The samples behind the first `count`; nil where there are none.
    public func dropping(_ count: Int) throws(NodeFailure) -> Frame? {
        guard count > 0 else { return self }
        guard count < sampleCount, let name = sampleFormat else { return nil }
        let raw = storage.raw
        guard let target = av_frame_alloc() else { LibraryError.outOfMemory() }
        var owned: UnsafeMutablePointer<AVFrame>? = target
        target.pointee.format = raw.pointee.format
        target.pointee.sample_rate = raw.pointee.sample_rate
        target.pointee.nb_samples = raw.pointee.nb_samples - Int32(count)
        av_channel_layout_copy(&target.pointee.ch_layout, &raw.pointee.ch_layout)
        var code = av_frame_get_buffer(target, 0)
        if code >= 0 {
            code = av_samples_copy(
                target.pointee.extended_data, raw.pointee.extended_data, 0, Int32(count), target.pointee.nb_samples,
                raw.pointee.ch_layout.nb_channels, AVSampleFormat(raw.pointee.format))
        }
        guard code >= 0 else {
            av_frame_free(&owned)
            throw LibraryError.failure(code, "\(name): copying samples", otherwise: .exhausted)
        }
        return Frame(adopting: target, stream: stream, clock: storage.clock)
    }
}
