import SluiceBitstream
import SluiceCore
import SluiceNodes

extension TitlePlaylists {
    /// Those of all renditions that some client may be offered: frames move a segment's ends.
    var bridgedTargets: [Int] {
        guard shape != .muxed else { return [] }
        let frames = facts.sounds.indices.flatMap { place in
            BridgeCodec.allCases.compactMap { facts.bridged(BridgeName(number: place + 1, codec: $0)) }
        }
        var known: Set<BridgeTimelineKey> = []
        let distinct = frames.filter {
            known.insert(BridgeTimelineKey(rate: Int($0.encoded.timescale), size: $0.encoded.frameSize)).inserted
        }
        // To the nearest second, as RFC 8216 §4.3.3.1 compares them: else a frame more would be a second more for all.
        return distinct.map { sound in
            let longest = segments(TitleLayout.entry(sound)).map(\.duration.nanoseconds).max() ?? 0
            return Int((longest &+ 500_000_000) / 1_000_000_000)
        }
    }

    /// Renditions of equal frames have equal segments.
    private struct BridgeTimelineKey: Hashable {
        var rate: Int
        var size: Int
    }
}
