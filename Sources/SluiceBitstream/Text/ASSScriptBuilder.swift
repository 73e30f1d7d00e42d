/// Puts an ASS script together again from its header and its events, for clients that draw it as it was authored.
///
/// - Note: behaviours SB-32, SB-34, TX-11.
package struct ASSScriptBuilder: Sendable {
    private struct Event: Hashable {
        var start: Int64
        var order: Int
        var end: Int64
        /// Layer first, without times: `0`, then `Default,,0,0,0,,Text`.
        var layer: ArraySlice<UInt8>
        var rest: ArraySlice<UInt8>
    }

    private let header: [UInt8]
    private var events: Set<Event> = []
    private var bytes = 0

    /// Bytes of all events; what goes beyond is left out.
    private static let limit = 64 << 20

    /// - Parameter header: the script up to its events, as containers keep it.
    package init(header: [UInt8]) { self.header = header }

    /// Adds a packet's event: `ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`; others are left out, and the
    /// same one counts once.
    ///
    /// - Parameters:
    ///   - start: milliseconds.
    package mutating func add(_ packet: [UInt8], start: Int64, end: Int64) {
        let fields = packet.prefix { $0 != 0 }
            .split(separator: UInt8(ascii: ","), maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, let order = Int(String(decoding: fields[0], as: UTF8.self).trimmed),
            fields[2].count(where: { $0 == UInt8(ascii: ",") }) >= 6, end > start, bytes + packet.count <= Self.limit
        else { return }
        // A line feed would begin another line of the script.
        let rest = fields[2].map { $0 == 0x0A || $0 == 0x0D ? UInt8(ascii: " ") : $0 }[...]
        let event = Event(start: max(0, start), order: order, end: max(0, end), layer: fields[1], rest: rest)
        if events.insert(event).inserted { bytes += packet.count }
    }

    /// The script: events by their starts, then as the author had them.
    package var script: [UInt8] {
        var result = header.filter { $0 != 0 }
        if result.last != 0x0A { result.append(0x0A) }
        if !String(decoding: result, as: UTF8.self).lowercased().contains("[events]") {
            result += Array(
                "\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n".utf8)
        }
        let ordered = events.sorted { left, right in
            (left.start, left.order, left.end) != (right.start, right.order, right.end)
                ? (left.start, left.order, left.end) < (right.start, right.order, right.end)
                : left.rest.lexicographicallyPrecedes(right.rest)
        }
        for event in ordered {
            result += Array("Dialogue: ".utf8) + event.layer
            result += Array(",\(Self.time(event.start)),\(Self.time(event.end)),".utf8) + event.rest
            result.append(0x0A)
        }
        return result
    }

    /// `h:mm:ss.cc`, rounded.
    package static func time(_ milliseconds: Int64) -> String {
        let value = (max(0, milliseconds) + 5) / 10
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(value / 360_000):\(two(value / 6_000 % 60)):\(two(value / 100 % 60)).\(two(value % 100))"
    }
}
