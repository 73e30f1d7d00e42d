internal import CFFmpeg
import SluiceBitstream
import SluiceCore

/// Reads the frames of clusters straight out of a source: the packets that libavformat gives where no parser looks into
/// them, without its buffers.
///
/// It knows what files are usually made of. At anything else it says `foreign`, and whoever asked lets the library read
/// the same packets, from the place where this reader began.
final class MatroskaReader {
    enum Outcome {
        case packet(Packet)
        case end
        case foreign
    }

    /// What a seek of the library leaves out before its target.
    struct Landing {
        /// Stream that was sought on.
        var stream: Int
        /// Its time, in ticks, before which no frame is wanted.
        var ticks: Int64
    }

    private let layout: MatroskaLayout
    private let clocks: [TimelineClock]
    private var walk: MatroskaClusterWalk
    private var window: SlabWindow
    private var stampers: [PacketStamper]
    /// Frames of a block that holds several, last first.
    private var laces: [Packet] = []
    private var landing: Landing?
    /// The stream sought on begins with a random access point.
    private var awaitsKey: Int?
    /// Units too small to keep a slab alive, by track.
    private var shelves: [(slab: Slab, used: Int)?]
    /// Bytes read and bytes handed out in place, of late.
    private var density = (passed: Int64(0), kept: Int64(0))

    /// Bytes of a slab of small units.
    private static let shelfSize = 64 << 10

    /// - Parameters:
    ///   - position: where a cluster begins.
    ///   - wanted: by stream; all of them plain.
    init(
        _ layout: MatroskaLayout, _ source: any ByteSource, _ context: FormatContext, at position: Int64,
        wanted: [Bool], streams: [StreamFormat], clocks: [TimelineClock], landing: Landing?
    ) {
        self.layout = layout
        self.clocks = clocks
        self.landing = landing
        awaitsKey = landing?.stream
        walk = MatroskaClusterWalk(
            position: position, end: layout.end, numbers: layout.numbers,
            isWanted: layout.tracks.map { wanted[$0.index] })
        window = SlabWindow(source, size: layout.end, at: position)
        shelves = layout.tracks.map { _ in nil }
        stampers = layout.tracks.compactMap { track in
            context.stream(track.index).map {
                PacketStamper($0, codec: streams[track.index].codec, isPicture: track.isPicture)
            }
        }
    }

    /// The next packet, in the order of the blocks.
    ///
    /// - Throws: the source's failure.
    func next() throws(NodeFailure) -> Outcome {
        if let lace = laces.popLast() { return .packet(lace) }
        while true {
            switch walk.next(window.bytes, at: window.base) {
            case .need(let count): try window.require(count, from: walk.position)
            case .end: return .end
            case .foreign: return .foreign
            case .block(let block):
                guard let first = packets(block) else { return .foreign }
                if let first { return .packet(first) }
            }
        }
    }

    // MARK: - Private

    /// The first packet of a block, the others set aside; nil inside where there is none, nil outside where its frames
    /// are not understood.
    private func packets(_ block: MatroskaClusterWalk.Block) -> Packet?? {
        let track = layout.tracks[block.track]
        let time = block.time &- track.delay
        if isSkipped(time, isKeyframe: block.isKeyframe, track.index) { return .some(nil) }
        guard let (slab, place) = window.part(block.payload) else { return nil }
        if block.lacing == .none {
            let times = stampers[block.track].times(
                presentation: time, duration: duration(block, track, frames: 1), byteCount: place.count)
            return .some(packet(block, track, times, isKeyframe: block.isKeyframe, slab, place))
        }
        let bytes = UnsafeRawBufferPointer(start: slab.base + place.lowerBound, count: place.count)
        guard !track.isPicture, let frames = block.lacing.frames(bytes) else { return nil }
        let whole = duration(block, track, frames: frames.count)
        guard whole < 1 << 52 else { return nil }
        var stamp: Int64? = time
        var packets: [Packet] = []
        for (number, frame) in frames.enumerated() {
            let (count, place) = (Int64(frames.count), Int64(number))
            let part = whole * (place + 1) / count - whole * place / count
            let range = (frame.lowerBound + rangeStart(block.payload))..<(frame.upperBound + rangeStart(block.payload))
            let times = stampers[block.track].times(presentation: stamp, duration: part, byteCount: frame.count)
            stamp = part > 0 ? stamp.map { $0 &+ part } : nil
            if let packet = packet(block, track, times, isKeyframe: number == 0 && block.isKeyframe, slab, range) {
                packets.append(packet)
            }
        }
        laces = packets.reversed()
        return .some(laces.popLast())
    }

    private func rangeStart(_ payload: Range<Int64>) -> Int { Int(payload.lowerBound - window.base) }

    private func duration(_ block: MatroskaClusterWalk.Block, _ track: MatroskaLayout.Track, frames: Int) -> Int64 {
        guard block.duration == 0 else { return block.duration }
        let product = track.defaultDuration.multipliedReportingOverflow(by: UInt64(frames))
        return product.overflow ? 0 : Int64(clamping: product.partialValue / track.timestampScale)
    }

    /// Whether a seek of the library would leave the block out.
    private func isSkipped(_ time: Int64, isKeyframe: Bool, _ stream: Int) -> Bool {
        guard let target = landing else { return false }
        if time < target.ticks { return true }
        if isKeyframe || awaitsKey != stream { landing = nil }
        return false
    }

    /// Nil while the stream sought on waits for its random access point.
    private func packet(
        _ block: MatroskaClusterWalk.Block, _ track: MatroskaLayout.Track, _ times: PacketStamper.Times,
        isKeyframe: Bool, _ slab: Slab, _ range: Range<Int>
    ) -> Packet? {
        // Every frame of the sounds that are plain can be decoded alone.
        let isKey = isKeyframe || !track.isPicture
        if awaitsKey == track.index {
            guard isKey else { return nil }
            awaitsKey = nil
        }
        let facts = Packet.Facts(
            stream: StreamID(track.index), clock: clocks[track.index], presentation: times.presentation,
            decode: times.decode, duration: times.duration, isKeyframe: isKey, filePosition: block.position)
        let (kept, place) = keep(slab, range, block)
        return Packet(facts, slab: kept, range: place)
    }

    /// Where the bytes of a frame stay: in the slab that was read, unless little else of it would be used.
    ///
    /// Whoever keeps a packet keeps its slab, so what is kept must be most of it: pictures stay where they are, small
    /// units and those between much that nobody wants are copied together.
    private func keep(
        _ slab: Slab, _ range: Range<Int>, _ block: MatroskaClusterWalk.Block
    ) -> (slab: Slab, range: Range<Int>) {
        let isPicture = layout.tracks[block.track].isPicture
        if isPicture {
            density.kept += Int64(range.count)
            if let last = lastEnd { density.passed += max(0, block.payload.upperBound - last) }
            lastEnd = block.payload.upperBound
            if density.passed > 4 << 20 { density = (density.passed / 2, density.kept / 2) }
            if density.kept * 2 >= density.passed || range.count >= Slab.usual { return (slab, range) }
        }
        var shelf = shelves[block.track] ?? (Slab(capacity: Self.shelfSize), 0)
        if shelf.slab.capacity - shelf.used < range.count {
            shelf = (Slab(capacity: max(Self.shelfSize, range.count)), 0)
        }
        shelf.slab.base.advanced(by: shelf.used).copyMemory(
            from: slab.base + range.lowerBound, byteCount: range.count)
        let place = shelf.used..<(shelf.used + range.count)
        shelf.used = place.upperBound
        shelves[block.track] = shelf
        return (shelf.slab, place)
    }

    /// Where the picture before ended.
    private var lastEnd: Int64?
}
