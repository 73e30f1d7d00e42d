import SluiceCore

/// Finds where a producer must begin to read so that it misses nothing of a segment. Pure.
struct AnchorRule {
    /// How a container can be entered in its middle.
    enum Access: Equatable {
        /// A seek to a key puts every stream at that key's time (MP4).
        case exactIndex
        /// A seek to a key goes to the key's place in the file; what lies before it there, and what is earlier than it,
        /// is missed (Matroska).
        case placedIndex
        /// A seek by time lands near (FLV, AVI).
        case roughIndex
        /// Only offsets lead anywhere (transport and program streams).
        case bytes
        /// Only from the start.
        case none
    }

    /// Sound of the segment may begin this much before its opening picture in the file, at a rough place.
    static let backOff = Duration.seconds(1)

    let access: Access
    let stream: StreamID
    let timebase: Timebase
    /// Ascending in coding order.
    let points: [Point]

    struct Point: Equatable {
        /// Presentation time, nanoseconds on the source's clock.
        var time: Int64
        /// Reading order.
        var ordinal: UInt32
        var seekTicks: Int64
        var position: Int64?
        /// Whether a fresh reader's index holds it.
        var isIndexed: Bool
    }

    /// The first sample that the segment needs, of every stream, in reading order and in time.
    struct Need: Equatable {
        var ordinal: UInt32
        /// Earliest time of the sound that is needed, nanoseconds on the source's clock; nil without sound.
        var soundTime: Int64?
    }

    static func access(_ formatName: String, isFragmented: Bool = false) -> Access {
        if formatName.hasPrefix("mov") { return isFragmented ? .roughIndex : .exactIndex }
        if formatName.hasPrefix("matroska") { return .placedIndex }
        switch formatName {
        case "flv", "avi": return .roughIndex
        case "mpegts", "mpeg": return .bytes
        default: return .none
        }
    }

    private func seekTime(_ point: Point) -> Int64 { Timestamp(point.seekTicks, timebase).nanoseconds }

    /// - Parameter opening: number in `points` of the picture that opens the segment.
    func anchor(opening: Int, need: Need) -> ReadAnchor {
        guard points.indices.contains(opening), opening > 0 else { return .head }
        let start = points[opening].time
        switch access {
        case .none: return .head
        case .exactIndex:
            guard seekTime(points[opening]) > start, let sound = need.soundTime else {
                return .index(stream: stream, ticks: points[opening].seekTicks)
            }
            // The key's stamp was pushed behind its time: sound that belongs to it would be missed.
            let point = points[0..<opening].last { seekTime($0) <= sound }
            return point.map { .index(stream: stream, ticks: $0.seekTicks) } ?? .head
        case .placedIndex:
            let hasIndex = points.contains { $0.isIndexed }
            for point in points[0...opening].reversed() {
                guard point.isIndexed || !hasIndex, point.ordinal <= need.ordinal,
                    point.time <= need.soundTime ?? point.time
                else { continue }
                return .index(stream: stream, ticks: point.seekTicks)
            }
            return .head
        case .roughIndex, .bytes:
            let latest = start &- Self.backOff.nanoseconds
            for point in points[0..<opening].reversed() where point.ordinal <= need.ordinal && point.time <= latest {
                if access == .roughIndex { return .index(stream: stream, ticks: point.seekTicks) }
                if let position = point.position, position > 0 { return .byte(position) }
            }
            return .head
        }
    }
}
