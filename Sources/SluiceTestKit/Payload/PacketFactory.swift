public import SluiceAV
public import SluiceCore

/// Makes packets for tests: one stream, one clock, a constant period, random access points at a constant distance.
public struct PacketFactory: Sendable {
    public var stream: StreamID
    public var timebase: Timebase
    /// Ticks from one packet to the next.
    public var period: Int64
    /// Packets from one random access point to the next, at least 1.
    public var group: Int
    /// Bytes of each payload, at least 1.
    public var size: Int

    public init(
        stream: StreamID = StreamID(0), timebase: Timebase = .milliseconds, period: Int64 = 40, group: Int = 25,
        size: Int = 100
    ) {
        self.stream = stream
        self.timebase = timebase
        self.period = period
        self.group = max(1, group)
        self.size = max(1, size)
    }

    /// Packet number `index`: its payload begins with the number, so that no two are equal.
    public func packet(_ index: Int) -> Packet {
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: size)
        for (place, shift) in [0, 8, 16, 24].enumerated() where place < size {
            bytes[place] = UInt8(truncatingIfNeeded: index >> shift)
        }
        return Packet(
            stream: stream, timebase: timebase, presentationTicks: Int64(index) * period,
            decodeTicks: Int64(index) * period, durationTicks: period, isKeyframe: index % group == 0, bytes: bytes)
    }

    /// Packets `0..<count` as items of a channel.
    public func items(_ count: Int) -> [Item<Packet>] { (0..<count).map { .payload(packet($0)) } }
}
