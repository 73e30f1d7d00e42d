import SluiceAV
import SluiceBitstream
import SluiceCore

/// Puts the RPUs of an enhancement layer in a stream of its own behind the base pictures that they belong to: those with
/// the same presentation time. Both come in coding order; which of the two comes first does not matter. Pure.
struct EnhancementJoiner {
    /// Base pictures, and bytes of them, that wait for their RPUs before they go without.
    static let pictureLimit = 64
    static let byteLimit = 32 << 20
    /// Nanoseconds that two stamps of the same time may differ by rounding.
    static let tolerance: Int64 = 500_000

    /// Streams of the base pictures and of the layer.
    let base: StreamID
    let layer: StreamID
    private let framing: NALFraming?
    private let format: StreamFormat
    private var pictures: [(key: Int64, packet: Packet)] = []
    private var bytes = 0
    private var layers: [(key: Int64, rpus: [[UInt8]])] = []

    /// nil where the title has no such layer.
    init?(_ facts: TitleFacts) {
        guard let video = facts.video, let layer = facts.enhancement, let format = facts.format(layer) else {
            return nil
        }
        (base, self.layer) = (video, layer)
        framing = facts.framings[video]
        self.format = format
    }

    /// - Parameters:
    ///   - packet: a placed base picture.
    ///   - key: its presentation time in the source, nanoseconds.
    /// - Returns: what goes on, in order.
    mutating func picture(_ packet: Packet, at key: Int64) -> [Packet] {
        pictures.append((key, packet))
        bytes += packet.byteCount
        var ready: [Packet] = []
        if let place = layers.firstIndex(where: { Self.matches($0.key, key) }) {
            ready = release(through: pictures.count - 1, layers[place].rpus)
            layers.removeFirst(place + 1)
        }
        while pictures.count > Self.pictureLimit || bytes > Self.byteLimit { ready += release(through: 0, []) }
        return ready
    }

    /// - Parameter key: presentation time in the source, nanoseconds.
    /// - Returns: what goes on, in order.
    mutating func layer(_ packet: Packet, at key: Int64) -> [Packet] {
        let rpus = packet.withUnsafeBytes { EnhancementRule.rpus($0, format) }
        guard !rpus.isEmpty else { return [] }
        guard let place = pictures.firstIndex(where: { Self.matches($0.key, key) }) else {
            layers.append((key, rpus))
            // Of pictures that are not served.
            if layers.count > Self.pictureLimit { layers.removeFirst() }
            return []
        }
        return release(through: place, rpus)
    }

    /// Everything that waits, without RPUs.
    mutating func drain() -> [Packet] {
        defer { restart() }
        return pictures.map(\.packet)
    }

    mutating func restart() {
        pictures = []
        layers = []
        bytes = 0
    }

    /// Pictures up to `place`, the last of them with `rpus` behind it.
    private mutating func release(through place: Int, _ rpus: [[UInt8]]) -> [Packet] {
        var ready = pictures[...place].map(\.packet)
        pictures.removeFirst(place + 1)
        bytes -= ready.reduce(0) { $0 + $1.byteCount }
        guard let last = ready.last, !rpus.isEmpty else { return ready }
        var rest = Packet(
            stream: last.stream, timebase: last.timebase, presentationTicks: last.presentationTicks, decodeTicks: nil,
            bytes: EnhancementRule.framed(rpus, framing))
        rest.setContinuesPicture(true)
        ready.append(rest)
        return ready
    }

    private static func matches(_ one: Int64, _ other: Int64) -> Bool {
        one.subtractingReportingOverflow(other).partialValue.magnitude <= UInt64(tolerance)
    }
}
