import SluiceBitstream
import SluiceCore
import SluiceNodes

/// The playlists of a title, from its facts and plan alone. Pure.
struct TitlePlaylists {
    let title: Title

    /// The multivariant playlist; URIs are relative to the options' folder.
    func master() throws(NodeFailure) -> String {
        let facts = title.facts
        var variant = Variant(
            uri: "\(title.planID)/\(title.renditions.first ?? "video").m3u8", bandwidth: bandwidth)
        variant.codecs = try codecs()
        if let id = facts.video, let video = facts.format(id)?.video {
            variant.resolution = Resolution(width: video.width, height: video.height)
            if let period = facts.framePeriod ?? video.framePeriod {
                variant.frameRate = Double(period.denominator) / Double(period.numerator)
            }
            variant.videoRange = VideoRange(transfer: video.colorTransfer)
        }
        var master = MultivariantPlaylist()
        if title.shape == .renditions, facts.video != nil, !facts.audio.isEmpty {
            variant.audioGroup = "audio"
            master.renditions = renditions()
            master.makeNamesUnique()
        }
        master.variants = [variant]
        return master.text
    }

    /// A media playlist; nil for a name the title does not have.
    func media(_ rendition: String) -> String? {
        guard title.renditions.contains(rendition) else { return nil }
        let plan = title.plan
        var segments: [MediaSegment] = []
        segments.reserveCapacity(plan.segments.count)
        var position = Duration.zero
        for index in plan.segments.indices {
            let length = plan.duration(index)
            var segment = MediaSegment(uri: "\(rendition)/seg-\(index).m4s", start: position, duration: length)
            if index == 0 { segment.map = InitializationMap(uri: "\(rendition)/init-0.mp4") }
            segments.append(segment)
            position += length
        }
        return MediaPlaylist(kind: .vod, segments: segments, isEnded: true).text
    }

    private func renditions() -> [Rendition] {
        title.facts.audio.enumerated().map { number, id in
            let format = title.facts.format(id)
            var rendition = Rendition(
                kind: .audio, group: "audio", name: format?.title ?? format?.language ?? "Audio \(number + 1)",
                uri: "\(title.planID)/audio-\(number + 1).m3u8")
            rendition.language = format?.language
            rendition.isDefault = number == 0
            rendition.isAutoselected = true
            rendition.channels = format?.audio.map { "\($0.channels)" }
            return rendition
        }
    }

    private func codecs() throws(NodeFailure) -> [String] {
        var list: [String] = []
        for id in title.shape == .muxed ? title.facts.muxed : title.facts.served {
            guard let format = title.facts.format(id) else { continue }
            let text = try CodecText.text(format)
            if !list.contains(text) { list.append(text) }
        }
        return list
    }

    /// Twice the average, at least 5 Mbit/s: a bound while nobody has counted the bytes of each segment.
    ///
    /// - Note: behaviours CR-14.
    private var bandwidth: Int {
        let declared = title.facts.served.compactMap { title.facts.format($0)?.bitRate }.reduce(0, +)
        return declared > 0 ? max(2 * declared, 5_000_000) : 25_000_000
    }
}
