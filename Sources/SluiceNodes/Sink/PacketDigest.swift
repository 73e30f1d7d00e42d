import SluiceAV
public import SluiceCore

/// What went through a run, stream by stream. Shared by the sink and whoever reports.
public final class PacketDigest: Sendable {
    public struct Stream: Sendable, Hashable {
        public var packets = 0
        public var bytes = 0
        public var keyframes = 0
        /// Smallest presentation start and largest presentation end.
        public var first: Timestamp?
        public var last: Timestamp?

        mutating func add(_ packet: Packet) {
            packets += 1
            bytes += packet.byteCount
            if packet.isKeyframe { keyframes += 1 }
            guard let time = packet.presentationTime ?? packet.decodeTime else { return }
            first = first.map { min($0, time) } ?? time
            let (ticks, overflow) = time.ticks.addingReportingOverflow(packet.durationTicks)
            let end = Timestamp(overflow ? .max : ticks, time.timebase)
            last = last.map { max($0, end) } ?? end
        }

        mutating func add(_ other: Stream) {
            packets += other.packets
            bytes += other.bytes
            keyframes += other.keyframes
            if let time = other.first { first = first.map { min($0, time) } ?? time }
            if let time = other.last { last = last.map { max($0, time) } ?? time }
        }
    }

    private let state = Locked<[StreamID: Stream]>([:])
    public init() {}
    public var streams: [StreamID: Stream] { state.withLock { $0 } }

    func merge(_ part: [StreamID: Stream]) {
        state.withLock { total in
            for (stream, numbers) in part { total[stream, default: Stream()].add(numbers) }
        }
    }
}
