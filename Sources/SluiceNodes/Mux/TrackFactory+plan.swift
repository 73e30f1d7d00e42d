import SluiceAV
public import SluiceBitstream
public import SluiceCore

extension TrackFactory {
    /// A track as its initialization section describes it: what facts say, and the rates that a plan has counted.
    ///
    /// - Parameters:
    ///   - version: number of the configuration in the facts.
    ///   - id: of the track within its section.
    /// - Throws: `.unsupported` where the codec cannot be carried or its configuration is missing.
    public static func track(
        _ facts: TitleFacts, _ plan: TitlePlan, _ stream: StreamID, version: Int = 0, id: Int = 1
    ) throws(NodeFailure) -> TrackDescription {
        var track = try track(facts, stream, version: version, id: id)
        track.bitRate = bitRate(facts, plan, stream)
        return track
    }

    /// Nil for plans from an index alone: nobody has counted.
    private static func bitRate(
        _ facts: TitleFacts, _ plan: TitlePlan, _ stream: StreamID
    ) -> TrackDescription.BitRate? {
        if let bridged = facts.bridges[stream] {
            let rate = UInt32(clamping: bridged.encoded.settings.bitRate)
            return rate > 0 ? TrackDescription.BitRate(maximum: rate, average: rate) : nil
        }
        guard let place = facts.served.firstIndex(of: stream), !plan.isProvisional,
            plan.segments.allSatisfy({ $0.tracks.indices.contains(place) })
        else { return nil }
        let held = plan.segments.indices.filter { plan.segments[$0].tracks[place].samples > 0 }
        let timeline = RenditionTimeline(facts: facts, plan: plan, stream: stream)
        let durations = timeline.durations.map(\.nanoseconds)
        let rates = RateRule.rates(
            bytes: held.map { plan.segments[$0].tracks[place].bytes }, durations: held.map { durations[$0] },
            target: durations.max() ?? 0)
        return rates.map {
            TrackDescription.BitRate(maximum: UInt32(clamping: $0.peak), average: UInt32(clamping: $0.average))
        }
    }
}
