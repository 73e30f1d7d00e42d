internal import CFFmpeg
internal import CMediaShim
import Glibc
import SluiceCore

/// Memory that a reader fills from the front and hands out in ranges. Bytes of a range never change again.
///
/// Freed with the last packet that has a range of it. Not sent anywhere by itself.
final class Slab {
    let base: UnsafeMutableRawPointer
    let capacity: Int

    /// Codecs may read this far behind a unit.
    private static let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
    /// Bytes of the slabs that most of a film goes through.
    static let usual = (256 << 10) - padding
    /// Usual slabs that are free. The kernel clears every page that it gives, and segments come and go.
    private static let free = Locked<[UnsafeMutableRawPointer]>([])
    /// 6 MiB.
    private static let freeLimit = 24

    /// - Parameter capacity: bytes, more than 0.
    init(capacity: Int) {
        self.capacity = capacity
        guard capacity == Self.usual else {
            base = UnsafeMutableRawPointer.allocate(byteCount: capacity + Self.padding, alignment: 16)
            // The rest is written before it is shown.
            (base + capacity).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
            return
        }
        base = Self.free.withLock { $0.popLast() } ?? Self.mapped()
    }

    deinit {
        guard capacity == Self.usual else { return base.deallocate() }
        let isKept = Self.free.withLock { free in
            guard free.count < Self.freeLimit else { return false }
            free.append(base)
            return true
        }
        if !isKept { munmap(base, Self.usual + Self.padding) }
    }

    /// Pages of its own, so that they go back to the system whole, whatever lies beside them.
    private static func mapped() -> UnsafeMutableRawPointer {
        let pages = mmap(
            nil, usual + padding, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let pages, pages != MAP_FAILED else { LibraryError.outOfMemory() }
        return pages
    }

    /// Gives slabs that are free back to the system.
    static func trim() {
        let unused = free.withLock { free in
            defer { free = [] }
            return free
        }
        for base in unused { munmap(base, usual + padding) }
    }
}

extension Packet {
    /// What a container says of a unit.
    struct Facts {
        var stream: StreamID
        var clock: TimelineClock
        var presentation: Int64?
        var decode: Int64?
        var duration: Int64
        var isKeyframe: Bool
        /// Offset in the source; nil where unknown.
        var filePosition: Int64?
    }

    /// A packet over a part of a slab, without a copy of its bytes.
    init(_ facts: Facts, slab: Slab, range: Range<Int>) {
        var header = Header(
            stream: facts.stream, clock: facts.clock, presentation: facts.presentation, decode: facts.decode,
            duration: max(0, facts.duration), flags: facts.isKeyframe ? AV_PKT_FLAG_KEY : 0, byteCount: range.count,
            cost: range.count + Self.structureCost, position: nil, filePosition: facts.filePosition ?? -1)
        header.updatePosition()
        storage = Storage(slab: slab, bytes: slab.base + range.lowerBound, header: header)
    }
}

extension Packet.Storage {
    /// The library's structure. A part of a slab is copied for it into memory that may grow, be written to, and have side
    /// data, so only while one value refers to this object.
    func libraryPacket() -> UnsafeMutablePointer<AVPacket> {
        if let raw { return raw }
        guard let made = av_packet_alloc() else { LibraryError.outOfMemory() }
        Packet.fill(made, with: UnsafeRawBufferPointer(start: bytes, count: header.byteCount))
        made.pointee.stream_index = Int32(clamping: header.stream.index)
        made.pointee.pts = header.presentation ?? shim_nopts
        made.pointee.dts = header.decode ?? shim_nopts
        made.pointee.duration = header.duration
        made.pointee.flags = header.flags
        made.pointee.pos = header.filePosition
        raw = made
        bytes = UnsafeRawPointer(made.pointee.data)
        slab = nil
        return made
    }
}
