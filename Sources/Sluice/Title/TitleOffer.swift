import SluiceBitstream
import SluiceCore
import SluiceNodes

/// What the multivariant playlist of a title offers a client, and why. Pure.
///
/// Segments do not depend on it, with one exception: the sound inside the muxed shape.
struct TitleOffer: Sendable, Hashable {
    /// Sounds in serving order; at most one in the muxed shape. Empty only where the title is served without sound.
    private(set) var sounds: [StreamID] = []
    /// How each sound reaches the client.
    private(set) var deliveries: [StreamID: SoundDelivery] = [:]
    private let wish: SoundWish
    /// Why the client gets no playlist at all; nil where it gets one.
    private(set) var refusal: String?
    /// One sentence for people about each served stream.
    private(set) var reasons: [StreamID: String] = [:]
    /// Whether the playlist names Dolby Vision beside the base layer that everybody can show.
    private(set) var claimsVision = true
    /// Which graph serves the pictures; nil in titles without.
    private(set) var topology: PictureTopology?

    /// - Parameter isPlain: the client was given less because its player refused the claim.
    init(
        _ facts: TitleFacts, _ shape: Title.Shape, _ client: CapabilityOption, _ wish: SoundWish = .plain,
        isPlain: Bool = false
    ) {
        self.wish = wish
        if let id = facts.video, let codec = facts.format(id)?.codec {
            let topology = PictureTopology.choose(
                codec, facts.format(id).map { PictureTraitRule.traits($0, facts: facts) } ?? [],
                taken: client.capabilities.traits)
            self.topology = topology
            reasons[id] = topology.reason
            let unplayed = facts.codecs(of: id).first { !client.takes($0) }
            let reason =
                unplayed.map { Self.unplayed($0, client) } ?? Self.undecoded(topology, client)
                ?? Self.unshown(facts, id, client)
            if let reason {
                reasons[id] = reason.what
                refusal = "stream \(id.index): \(reason.what); expected \(reason.expected)"
            }
        }
        claimsVision = client.shows("dv") && !isPlain
        choose(facts, shape, client)
    }

    private static func unplayed(_ codec: CodecName, _ client: CapabilityOption) -> (what: String, expected: String) {
        let expected = client.capabilities.codecs.intersection(RoutePolicy.pictures)
            .map(\.rawValue).sorted().joined(separator: ", ")
        return (
            "\(codec) pictures are not played by clients of 'caps=\(client.text)'",
            "one of \(expected), or 'caps=\(client.text)+\(codec)' for a client that plays it"
        )
    }

    private static func undecoded(
        _ topology: PictureTopology, _ client: CapabilityOption
    ) -> (what: String, expected: String)? {
        guard topology.isRefused else { return nil }
        return (
            "not played by clients of 'caps=\(client.text)': \(topology.reason)",
            "a client that plays it and says so in 'caps'"
        )
    }

    /// nil where the client shows the range of the pictures, or says nothing about ranges.
    private static func unshown(
        _ facts: TitleFacts, _ id: StreamID, _ client: CapabilityOption
    ) -> (what: String, expected: String)? {
        // Segments are asked for through here as well: a track is only described for those who name ranges.
        guard client.shown != nil, case .video(let picture)? = try? TrackFactory.track(facts, id).entry else {
            return nil
        }
        let range: String
        switch SampleEntry.video(picture).videoRange {
        case .sdr: return nil
        case .hlg: range = "hlg"
        case .pq: range = picture.dolbyVision?.compatibility == 0 ? "dv" : "hdr10"
        }
        // Whoever shows Dolby Vision shows what it is made of.
        guard !client.shows(range), !(client.shows("dv") && picture.dolbyVision != nil) else { return nil }
        return (
            "pictures in range '\(range)' are not shown by clients of 'caps=\(client.text)'",
            "'caps=\(client.text)+\(range)' for a client that shows it"
        )
    }

    private mutating func choose(_ facts: TitleFacts, _ shape: Title.Shape, _ client: CapabilityOption) {
        for id in facts.sounds {
            guard let format = facts.format(id) else { continue }
            let isCopyable = facts.audio.contains(id)
            let isTaken = facts.codecs(of: id).allSatisfy(client.takes)
            // Samples that are moved in time are made anew.
            var (delivery, reason) = BridgePolicy.delivery(
                format, copies: isCopyable && wish.delay == .zero, client: client.capabilities, mode: wish.mode)
            if !facts.pieces.isEmpty, delivery != .copy || !isTaken {
                (delivery, reason) = (
                    .refused, "\(format.codec) that other streams take over from is copied or not served"
                )
            }
            deliveries[id] = delivery
            reasons[id] = reason
            if delivery == .refused, isCopyable {
                reasons[id] = "\(format.codec) is not played by clients of 'caps=\(client.text)'"
            }
        }
        // A client may play the picture without its sound, or more than its name says: nothing is gained by hiding it.
        if facts.sounds.allSatisfy({ deliveries[$0] == SoundDelivery.refused }) {
            for id in facts.audio {
                deliveries[id] = .copy
                reasons[id, default: ""] += ", nor is any other sound of the title: offered as to everybody"
            }
        }
        let copied = Set(deliveries.filter { $0.value == .copy }.keys)
        let ranked = SoundRank.order(facts, wish.languages, copied: copied)
        let offered = ranked.filter { deliveries[$0] != SoundDelivery.refused }
        sounds = shape == .muxed ? Array(offered.prefix(1)) : offered
        for id in offered where !sounds.contains(id) { reasons[id] = "the muxed shape holds one sound" }
    }

    /// What the sound is encoded to; nil where it is copied or not offered.
    func bridged(_ id: StreamID, of facts: TitleFacts) -> BridgedSound? {
        guard sounds.contains(id), let codec = deliveries[id]?.codec else { return nil }
        return facts.bridged(id, codec, delay: wish.delay)
    }

    /// The one sound of the muxed shape, copied or bridged.
    func chooseSound(_ choice: inout Title.Choice, of facts: TitleFacts) {
        guard let sound = sounds.first else { return }
        choice.bridge = bridged(sound, of: facts)
        if choice.bridge == nil, sound != facts.audio.first { choice.sound = sound }
    }

    /// Whether a client would notice the difference.
    func isSame(as other: TitleOffer) -> Bool {
        sounds == other.sounds && sounds.allSatisfy { deliveries[$0] == other.deliveries[$0] }
            && (refusal == nil) == (other.refusal == nil) && claimsVision == other.claimsVision
    }

    /// Profiles to which the title is offered otherwise than to a client of which nothing is known.
    static func differing(
        _ facts: TitleFacts, _ shape: Title.Shape, _ wish: SoundWish = .plain
    ) -> [ClientProfile] {
        let plain = TitleOffer(facts, shape, .generic, wish)
        return ClientProfile.allCases.filter {
            !TitleOffer(facts, shape, CapabilityOption($0), wish).isSame(as: plain)
        }
    }
}
