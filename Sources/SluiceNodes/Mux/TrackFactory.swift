public import SluiceBitstream
public import SluiceCore

/// Makes the description of a copied track from what is known about its stream. Pure: whoever asks, and whenever, gets
/// the same initialization section.
public enum TrackFactory {
    /// - Parameters:
    ///   - version: number of the configuration in the facts; of a sound, of the piece of the source.
    ///   - id: of the track within its section.
    /// - Throws: `.unsupported` where the codec cannot be carried or its configuration is missing.
    public static func track(
        _ facts: TitleFacts, _ stream: StreamID, version: Int = 0, id: Int = 1
    ) throws(NodeFailure) -> TrackDescription {
        let facts = facts.within(piece: stream == facts.video ? facts.piece(ofVersion: version) : version)
        guard let format = facts.format(stream), let clock = facts.clocks[stream] else {
            throw NodeFailure(.internalInvariant, "stream \(stream.index) is not served")
        }
        let entry: SampleEntry =
            format.type == .video
            ? .video(try picture(facts, format, version: version)) : .audio(try sound(facts, format))
        var track = TrackDescription(
            id: UInt32(clamping: id), timescale: UInt32(clock.timescale), entry: entry, language: format.language)
        if facts.video == nil, let priming = facts.primings[stream], priming > 0 {
            track.edit = TrackEdit(mediaTime: priming)
        }
        if let rotation = format.video?.rotation, let turned = DisplayRotation(rawValue: rotation) {
            track.rotation = turned
        }
        return track
    }

    static func refused(_ format: StreamFormat, _ expected: String) -> NodeFailure {
        NodeFailure(.unsupported, "stream \(format.id.index) (\(format.codec)): expected \(expected)")
    }
}
