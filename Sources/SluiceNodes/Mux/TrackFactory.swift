import SluiceBitstream
import SluiceCore

/// Makes a track's description from what the container said about its stream. Pure.
enum TrackFactory {
    /// - Throws: `.unsupported` where the codec cannot be carried or its configuration is missing.
    static func track(
        _ format: StreamFormat, id: Int, clock: TrackClock
    ) throws(NodeFailure) -> TrackDescription {
        var track = TrackDescription(
            id: UInt32(clamping: id), timescale: UInt32(clock.timescale), entry: try entry(format),
            language: format.language)
        if let rotation = format.video?.rotation, let turned = DisplayRotation(rawValue: rotation) {
            track.rotation = turned
        }
        return track
    }

    private static func entry(_ format: StreamFormat) throws(NodeFailure) -> SampleEntry {
        switch (format.type, format.codec) {
        case (.video, "h264"):
            guard let video = format.video, format.extradata.first == 1 else {
                throw refused(format, "an avcC record; Annex B carriage")
            }
            var entry = VideoSampleEntry(codec: .avc(format.extradata), width: video.width, height: video.height)
            if let aspect = video.sampleAspect {
                entry.sampleAspect = SampleAspect(
                    width: UInt32(aspect.numerator), height: UInt32(aspect.denominator))
            }
            return .video(entry)
        case (.audio, "aac"):
            guard let audio = format.audio, format.extradata.count >= 2 else {
                throw refused(format, "an AudioSpecificConfig")
            }
            return .audio(
                AudioSampleEntry(
                    codec: .mp4a(format.extradata), sampleRate: audio.sampleRate, channels: audio.channels))
        default: throw refused(format, "a codec that the muxer carries (h264, aac)")
        }
    }

    private static func refused(_ format: StreamFormat, _ expected: String) -> NodeFailure {
        NodeFailure(.unsupported, "stream \(format.id.index) (\(format.codec)): expected \(expected)")
    }
}
