import SluiceAV

/// Chooses the layout that a sound is bridged to: the smallest that has a place for every channel. Pure.
enum LayoutRule {
    /// - Parameters:
    ///   - source: FFmpeg's name of the source's layout; nil where only their number is known.
    ///   - candidates: from small to large.
    ///   - native: layouts that need no change at all.
    static func target(_ source: String?, channels: Int, among candidates: [String], native: [String] = []) -> String {
        let largest = candidates.last ?? "stereo"
        if let source, native.contains(source) || candidates.contains(source) { return source }
        let names = source.map { AudioCodecs.channels(of: $0) } ?? []
        guard !names.isEmpty else {
            let count = channels > 0 ? channels : 2
            return candidates.first { AudioCodecs.channels(of: $0).count >= count } ?? largest
        }
        let wanted = Set(rear(names))
        let holding = candidates.first { wanted.isSubset(of: rear(AudioCodecs.channels(of: $0))) }
        if let holding { return holding }
        // What nobody has a place for is folded into as many channels as there are.
        return candidates.first { AudioCodecs.channels(of: $0).count >= min(channels, 8) } ?? largest
    }

    /// The only pair behind the listener is the back pair, whatever it is called.
    private static func rear(_ names: [String]) -> [String] {
        guard !names.contains("BL"), !names.contains("BR") else { return names }
        return names.map { $0 == "SL" ? "BL" : $0 == "SR" ? "BR" : $0 }
    }
}
