internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

/// One coded access unit of one stream, as the container delivered it: copy-on-write over a reference-counted buffer.
///
/// Copies share the payload; the first change to a copy gives it its own header, and only a change of the bytes
/// themselves copies bytes. Times are in ticks of ``timebase``.
public struct Packet: MediaPayload, ByteStorage {
    var storage: Storage

    public static var kind: PayloadKind { .packet }

    /// Everything the line asks about a packet, kept beside the C structure so that no getter crosses into it.
    struct Header: Sendable {
        var stream: StreamID
        var clock: TimelineClock
        var presentation: Int64?
        var decode: Int64?
        var duration: Int64
        var flags: Int32
        var byteCount: Int
        var cost: Int
        var position: Int64?
        /// Offset in the source; negative where unknown.
        var filePosition: Int64
        var continuesPicture = false

        mutating func updatePosition() {
            // No `map`: the closure would be allocated for every packet.
            if let ticks = decode ?? presentation { position = clock.nanoseconds(ticks) } else { position = nil }
        }
    }

    final class Storage: @unchecked Sendable {
        // Sound because everything here changes only through `Packet.makeUnique()`, that is while exactly one value
        // refers to this object; payload buffers are counted atomically by libavutil and not written while shared, and
        // the part of a slab that a packet has is not written after the packet was made. For the same reason accesses need
        // no check at run time, which would cost more than they do.
        /// Nil while the bytes are a part of a slab.
        @exclusivity(unchecked) var raw: UnsafeMutablePointer<AVPacket>?
        @exclusivity(unchecked) var slab: Slab?
        /// The payload; nil where there is none.
        @exclusivity(unchecked) var bytes: UnsafeRawPointer?
        @exclusivity(unchecked) var header: Header

        /// Takes over `raw` and frees it in the end.
        init(adopting raw: UnsafeMutablePointer<AVPacket>, header: Header) {
            self.raw = raw
            self.header = header
            bytes = UnsafeRawPointer(raw.pointee.data)
        }

        init(slab: Slab, bytes: UnsafeRawPointer, header: Header) {
            self.slab = slab
            self.bytes = bytes
            self.header = header
        }

        deinit {
            if raw != nil { av_packet_free(&raw) }
        }

        func cloned() -> Storage {
            guard let raw else { return Storage(part: self) }
            guard let copy = av_packet_clone(raw) else { LibraryError.outOfMemory() }
            return Storage(adopting: copy, header: header)
        }

        private init(part other: Storage) {
            slab = other.slab
            bytes = other.bytes
            header = other.header
        }
    }

    /// Takes over a packet that a library filled.
    init(adopting raw: UnsafeMutablePointer<AVPacket>, clock: TimelineClock) {
        let packet = raw.pointee
        var header = Header(
            stream: StreamID(Int(packet.stream_index)), clock: clock,
            presentation: packet.pts == shim_nopts ? nil : packet.pts,
            decode: packet.dts == shim_nopts ? nil : packet.dts,
            duration: max(0, packet.duration), flags: packet.flags, byteCount: Int(max(0, packet.size)),
            cost: Self.cost(of: packet), position: nil, filePosition: packet.pos)
        header.updatePosition()
        storage = Storage(adopting: raw, header: header)
    }

    /// A packet with its own copy of `bytes`, for generators, repair stages and tests.
    ///
    /// At most 1 GiB; ticks are in `timebase`.
    public init(
        stream: StreamID, timebase: Timebase, presentationTicks: Int64?, decodeTicks: Int64?,
        durationTicks: Int64 = 0, isKeyframe: Bool = false, bytes: [UInt8]
    ) {
        guard let raw = av_packet_alloc() else { LibraryError.outOfMemory() }
        bytes.withUnsafeBytes { Self.fill(raw, with: $0) }
        raw.pointee.stream_index = Int32(clamping: stream.index)
        raw.pointee.pts = presentationTicks ?? shim_nopts
        raw.pointee.dts = decodeTicks ?? shim_nopts
        raw.pointee.duration = max(0, durationTicks)
        raw.pointee.flags = isKeyframe ? AV_PKT_FLAG_KEY : 0
        self.init(adopting: raw, clock: TimelineClock(timebase))
    }

    /// Gives `raw` a new padded buffer that holds `bytes`; other properties stay.
    static func fill(_ raw: UnsafeMutablePointer<AVPacket>, with bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= 1 << 30, "a packet of more than 1 GiB")
        let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
        guard let buffer = av_buffer_alloc(bytes.count + padding), let data = buffer.pointee.data else {
            LibraryError.outOfMemory()
        }
        if let base = bytes.baseAddress {
            data.update(from: base.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        }
        data.advanced(by: bytes.count).update(repeating: 0, count: padding)
        av_buffer_unref(&raw.pointee.buf)
        raw.pointee.buf = buffer
        raw.pointee.data = data
        raw.pointee.size = Int32(clamping: bytes.count)
    }

    /// What a packet costs beside its bytes.
    static let structureCost = 128

    static func cost(of packet: AVPacket) -> Int {
        var total = Int(max(0, packet.size)) + structureCost
        for index in 0..<Int(max(0, packet.side_data_elems)) {
            total += packet.side_data[index].size
        }
        return total
    }

    mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.cloned() }
    }
}
