import SluiceBitstream
public import SluiceCore

extension TrackFactory {
    /// How the Dolby Vision of a picture stream is served; nil where it has none.
    public static func dolbyVision(_ facts: TitleFacts, _ stream: StreamID) -> DolbyVisionService? {
        guard let format = facts.format(stream), let entry = try? codedEntry(facts, format, version: facts.leading)
        else {
            return nil
        }
        return dolbyVision(facts, format, entry, signal(facts, format, entry))
    }

    /// How the pictures of a stream are to be shown; nil where their configuration cannot be read.
    public static func signal(_ facts: TitleFacts, _ stream: StreamID) -> PictureSignal? {
        guard let format = facts.format(stream), let entry = try? codedEntry(facts, format, version: facts.leading)
        else {
            return nil
        }
        return signal(facts, format, entry)
    }

    static func signal(_ facts: TitleFacts, _ format: StreamFormat, _ entry: VideoSampleEntry) -> PictureSignal {
        PictureSignal(format, coded: entry.color, first: facts.firstUnits[format.id] ?? [])
    }

    static func dolbyVision(
        _ facts: TitleFacts, _ format: StreamFormat, _ entry: VideoSampleEntry, _ signal: PictureSignal
    ) -> DolbyVisionService? {
        let layer = facts.enhancement.flatMap { facts.format($0) }
        let source = DolbyVisionRule.Source(
            codec: format.codec, declared: format.video?.dolbyVision ?? layer?.video?.dolbyVision, rpu: signal.rpu,
            color: signal.color,
            isTenBit: format.video?.pixelFormat?.contains("p10") ?? true, width: entry.width, height: entry.height,
            period: facts.framePeriod ?? format.video?.framePeriod)
        return DolbyVisionRule.service(source, facts.dolbyVision)
    }
}
