internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

extension Packet {
    /// A packet that changes its payload while another value has it takes a copy.
    public var isPinned: Bool { true }

    /// The payload in place. The pointer must not outlive `body`.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let bytes = storage.bytes
        return try withExtendedLifetime(storage) {
            try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : byteCount))
        }
    }

    /// A copy of the payload, for tests and small units.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Puts another payload in the packet's place; times, flags and side data stay. At most 1 GiB.
    public mutating func replaceBytes(_ bytes: [UInt8]) {
        let raw = makeLibraryPacket()
        bytes.withUnsafeBytes { Self.fill(raw, with: $0) }
        storage.bytes = UnsafeRawPointer(raw.pointee.data)
        storage.header.byteCount = bytes.count
        storage.header.cost = Self.cost(of: raw.pointee)
    }

    /// Changes the payload in place, copying it first where another packet shares it.
    public mutating func withUnsafeMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let raw = makeLibraryPacket()
        guard av_packet_make_writable(raw) >= 0 else { LibraryError.outOfMemory() }
        storage.bytes = UnsafeRawPointer(raw.pointee.data)
        return try withExtendedLifetime(storage) {
            let data = raw.pointee.data
            return try body(UnsafeMutableRawBufferPointer(start: data, count: data == nil ? 0 : byteCount))
        }
    }

    /// What the container says about this unit beside its bytes, in its order.
    public var sideData: [SideData] {
        guard let raw = storage.raw?.pointee else { return [] }
        return withExtendedLifetime(storage) {
            (0..<Int(max(0, raw.side_data_elems))).map { index in
                let entry = raw.side_data[index]
                return SideData(
                    kind: SideData.Kind(entry.type),
                    bytes: Array(UnsafeRawBufferPointer(start: entry.data, count: entry.data == nil ? 0 : entry.size)))
            }
        }
    }

    public var hasSideData: Bool { (storage.raw?.pointee.side_data_elems ?? 0) > 0 }

    /// The bytes of one kind; nil where the packet has none.
    public func sideData(_ kind: SideData.Kind) -> [UInt8]? {
        guard hasSideData, let raw = storage.raw, let type = kind.packetType else { return nil }
        return withExtendedLifetime(storage) {
            var size = 0
            guard let data = av_packet_get_side_data(raw, type, &size) else { return nil }
            return Array(UnsafeRawBufferPointer(start: data, count: size))
        }
    }

    /// Adds or replaces one kind; empty `bytes` remove it. Kinds without an FFmpeg number are ignored.
    public mutating func setSideData(_ kind: SideData.Kind, _ bytes: [UInt8]) {
        guard let type = kind.packetType else { return }
        let raw = makeLibraryPacket()
        Self.removeSideData(type, from: raw)
        if !bytes.isEmpty {
            guard let data = av_packet_new_side_data(raw, type, bytes.count) else { LibraryError.outOfMemory() }
            data.update(from: bytes, count: bytes.count)
        }
        storage.header.cost = Self.cost(of: raw.pointee)
    }

    /// The library's structure, of this value alone.
    mutating func makeLibraryPacket() -> UnsafeMutablePointer<AVPacket> {
        makeUnique()
        return storage.libraryPacket()
    }

    /// Configuration that replaces the stream's from this unit on; nil where it stays.
    public var newExtradata: [UInt8]? { sideData(.newExtradata) }

    /// Decoded samples to drop at the start and at the end of this unit; nil where none.
    public var skippedSamples: (start: Int, end: Int)? {
        guard let bytes = sideData(.skipSamples), bytes.count >= 8 else { return nil }
        func count(_ offset: Int) -> Int {
            (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        return (count(0), count(4))
    }

    /// libavcodec has no call that removes one kind from a packet in every version, so the array is closed up here.
    private static func removeSideData(_ type: AVPacketSideDataType, from raw: UnsafeMutablePointer<AVPacket>) {
        let count = Int(max(0, raw.pointee.side_data_elems))
        guard let entries = raw.pointee.side_data,
            let index = (0..<count).first(where: { entries[$0].type == type })
        else { return }
        av_freep(&entries[index].data)
        for later in (index + 1)..<max(index + 1, count) { entries[later - 1] = entries[later] }
        raw.pointee.side_data_elems = Int32(count - 1)
        if count == 1 { av_freep(&raw.pointee.side_data) }
    }
}
