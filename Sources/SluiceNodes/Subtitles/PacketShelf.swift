/// A packet of a subtitle stream that is kept until somebody wants to see it.
package struct StoredPacket: Sendable, Hashable {
    /// Milliseconds of the title.
    package var time: Int64
    /// Offset in the file.
    package var position: Int64
    package var bytes: [UInt8]
    /// Milliseconds; 0 where nobody says.
    package var duration: Int64

    package init(time: Int64, position: Int64, bytes: [UInt8], duration: Int64 = 0) {
        self.duration = max(0, duration)
        self.time = time
        self.position = position
        self.bytes = bytes
    }
}

/// The packets of one stream that were read, by time and place in the file; what lies far from where they are wanted gives
/// way. Pure.
package struct PacketShelf: Sendable {
    package private(set) var packets: [StoredPacket] = []
    package private(set) var bytes = 0

    /// Bytes of one track.
    package static let limit = 32 << 20

    package init() {}

    /// What is wanted is kept beyond the limit, up to twice as much.
    package mutating func insert(_ packet: StoredPacket) {
        guard bytes + packet.bytes.count <= 2 * Self.limit else { return }
        var (low, high) = (0, packets.count)
        while low < high {
            let middle = (low + high) / 2
            if (packets[middle].time, packets[middle].position) < (packet.time, packet.position) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        var place = low
        while place < packets.count, packets[place].time == packet.time, packets[place].position == packet.position {
            if packets[place] == packet { return }
            place += 1
        }
        packets.insert(packet, at: place)
        bytes += packet.bytes.count
    }

    /// Makes room by dropping what is farthest from a stretch.
    ///
    /// - Returns: the stretches of time that are not known any more.
    package mutating func trim(around wanted: Range<Int64>) -> [Range<Int64>] {
        var forgotten: [Range<Int64>] = []
        while bytes > Self.limit, let first = packets.first, let last = packets.last {
            let before = wanted.lowerBound &- first.time
            let behind = last.time &- wanted.upperBound
            guard max(before, behind) > 0 else { break }
            if before >= behind {
                bytes -= first.bytes.count
                packets.removeFirst()
                forgotten.append(Int64.min..<(first.time &+ 1))
            } else {
                bytes -= last.bytes.count
                packets.removeLast()
                forgotten.append(last.time..<Int64.max)
            }
        }
        return forgotten
    }

    package func packets(in range: Range<Int64>) -> [StoredPacket] {
        packets.filter { range.contains($0.time) }
    }
}
