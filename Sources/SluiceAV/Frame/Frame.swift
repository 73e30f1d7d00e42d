internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

/// One decoded picture or run of samples: copy-on-write over reference-counted planes.
///
/// Planes are read-only while shared; ``withUnsafeMutablePlane(_:_:)`` copies first where another frame refers to them.
public struct Frame: MediaPayload {
    var storage: Storage

    public static var kind: PayloadKind { .frame }

    final class Storage: @unchecked Sendable {
        // Sound because `raw` and the values beside it change only through `Frame.makeUnique()`, that is while exactly
        // one value refers to this object; plane buffers are counted atomically and not written while shared.
        let raw: UnsafeMutablePointer<AVFrame>
        var clock: TimelineClock
        var stream: StreamID
        var position: Int64?
        var cost: Int

        /// Takes over `raw` and frees it in the end.
        init(adopting raw: UnsafeMutablePointer<AVFrame>, stream: StreamID, clock: TimelineClock) {
            self.raw = raw
            self.clock = clock
            self.stream = stream
            position = raw.pointee.pts == shim_nopts ? nil : clock.nanoseconds(raw.pointee.pts)
            cost = Frame.cost(of: raw)
        }

        deinit {
            var pointer: UnsafeMutablePointer<AVFrame>? = raw
            av_frame_free(&pointer)
        }

        func cloned() -> Storage {
            guard let copy = av_frame_clone(raw) else { LibraryError.outOfMemory() }
            return Storage(adopting: copy, stream: stream, clock: clock)
        }
    }

    /// Takes over a frame that a library filled; its `pts` counts ticks of `clock`.
    init(adopting raw: UnsafeMutablePointer<AVFrame>, stream: StreamID, clock: TimelineClock) {
        storage = Storage(adopting: raw, stream: stream, clock: clock)
    }

    /// A picture of zeroed planes. Throws `.unsupported` for an unknown layout, `.limitExceeded` for an impossible size.
    public init(
        stream: StreamID, timebase: Timebase, presentationTicks: Int64?, width: Int, height: Int, pixelFormat: String
    ) throws(NodeFailure) {
        let format = av_get_pix_fmt(pixelFormat)
        guard format != AV_PIX_FMT_NONE else {
            throw NodeFailure(.unsupported, "sample layout '\(pixelFormat)'; expected one of FFmpeg's names")
        }
        guard width > 0, height > 0, width <= 32_768, height <= 32_768 else {
            throw NodeFailure(.limitExceeded, "picture of \(width)x\(height); expected 1 to 32768 each way")
        }
        guard let raw = av_frame_alloc() else { LibraryError.outOfMemory() }
        raw.pointee.format = format.rawValue
        raw.pointee.width = Int32(width)
        raw.pointee.height = Int32(height)
        try self.init(allocating: raw, stream: stream, timebase: timebase, ticks: presentationTicks)
    }

    /// Silence. Throws `.unsupported` for an unknown layout of samples, `.limitExceeded` for an impossible size.
    public init(
        stream: StreamID, timebase: Timebase, presentationTicks: Int64?, sampleCount: Int, sampleRate: Int,
        channels: Int, sampleFormat: String
    ) throws(NodeFailure) {
        let format = av_get_sample_fmt(sampleFormat)
        guard format != AV_SAMPLE_FMT_NONE else {
            throw NodeFailure(.unsupported, "sample layout '\(sampleFormat)'; expected one of FFmpeg's names")
        }
        guard (1...1_048_576).contains(sampleCount), (1...64).contains(channels), (1...1_536_000).contains(sampleRate)
        else {
            throw NodeFailure(
                .limitExceeded,
                "\(sampleCount) samples of \(channels) channels at \(sampleRate) Hz; expected at most 1048576, 64, 1536000"
            )
        }
        guard let raw = av_frame_alloc() else { LibraryError.outOfMemory() }
        raw.pointee.format = format.rawValue
        raw.pointee.nb_samples = Int32(sampleCount)
        raw.pointee.sample_rate = Int32(sampleRate)
        av_channel_layout_default(&raw.pointee.ch_layout, Int32(channels))
        try self.init(allocating: raw, stream: stream, timebase: timebase, ticks: presentationTicks)
    }

    private init(
        allocating raw: UnsafeMutablePointer<AVFrame>, stream: StreamID, timebase: Timebase, ticks: Int64?
    ) throws(NodeFailure) {
        var owned: UnsafeMutablePointer<AVFrame>? = raw
        let code = av_frame_get_buffer(raw, 0)
        guard code >= 0 else {
            av_frame_free(&owned)
            throw LibraryError.failure(code, "allocating a frame", otherwise: .exhausted)
        }
        for index in 0..<8 {
            guard let buffer = Self.planeBuffer(raw, index), let data = buffer.pointee.data else { continue }
            data.update(repeating: 0, count: buffer.pointee.size)
        }
        raw.pointee.pts = ticks ?? shim_nopts
        self.init(adopting: raw, stream: stream, clock: TimelineClock(timebase))
    }

    static func planeBuffer(_ raw: UnsafeMutablePointer<AVFrame>, _ index: Int) -> UnsafeMutablePointer<AVBufferRef>? {
        withUnsafeBytes(of: &raw.pointee.buf) { bytes in
            let buffers = bytes.bindMemory(to: UnsafeMutablePointer<AVBufferRef>?.self)
            return buffers.indices.contains(index) ? buffers[index] : nil
        }
    }

    static func cost(of raw: UnsafeMutablePointer<AVFrame>) -> Int {
        var total = 512
        for index in 0..<8 { total += planeBuffer(raw, index)?.pointee.size ?? 0 }
        for index in 0..<Int(max(0, raw.pointee.nb_extended_buf)) {
            total += raw.pointee.extended_buf[index]?.pointee.size ?? 0
        }
        for index in 0..<Int(max(0, raw.pointee.nb_side_data)) {
            total += raw.pointee.side_data[index]?.pointee.size ?? 0
        }
        return total
    }

    mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.cloned() }
    }
}
