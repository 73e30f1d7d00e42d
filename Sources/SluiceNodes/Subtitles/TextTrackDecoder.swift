package import SluiceAV
package import SluiceBitstream
package import SluiceCore

/// Turns the packets of one text stream into cues on the title's timeline.
package struct TextTrackDecoder: Sendable {
    /// Bytes of a packet that are looked at; larger ones are no subtitles.
    package static let packetLimit = 1 << 20

    private let codec: CodecName
    private let clock: TrackClock
    private let script: ASSScript?

    package init(_ format: StreamFormat, _ facts: TitleFacts) {
        codec = format.codec
        clock = facts.subtitleClock(format)
        script = ["ass", "ssa"].contains(format.codec) ? ASSScript(header: format.extradata) : nil
    }

    /// Milliseconds on the title's timeline; nil for a packet without a time.
    package func time(_ packet: Packet) -> Int64? {
        (packet.presentationTicks ?? packet.decodeTicks).map { clock.output($0, position: packet.filePosition) }
    }

    /// Nil for packets without a time, without text, and for those that end before the title begins.
    package func cue(_ packet: Packet) -> TextCue? {
        guard packet.byteCount <= Self.packetLimit, let ticks = packet.presentationTicks ?? packet.decodeTicks else {
            return nil
        }
        let start = clock.output(ticks, position: packet.filePosition)
        var end: Int64?
        if packet.durationTicks > 0 {
            let (last, overflow) = ticks.addingReportingOverflow(packet.durationTicks)
            guard !overflow else { return nil }
            let time = clock.output(last, position: packet.filePosition)
            guard time > 0, time > start else { return nil }
            end = time
        }
        guard start > -TextLimits.latest, start < TextLimits.latest, (end ?? 0) < TextLimits.latest else { return nil }
        let bytes = packet.bytes
        let cue: TextCue? =
            switch codec {
            case "ass", "ssa": script?.cue(event: bytes, start: start, end: end)
            case "webvtt":
                WebVTT.cue(bytes, settings: packet.sideData(.webVTTSettings) ?? [], start: start, end: end)
            case "mov_text": MovText.cue(bytes, start: start, end: end)
            default: SubRip.cue(bytes, start: start, end: end)
            }
        guard var cue else { return nil }
        cue.start = max(0, cue.start)
        return cue
    }
}
