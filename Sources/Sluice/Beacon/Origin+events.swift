import SluiceBitstream
import SluiceCore
import SluiceGraph
import SluiceNodes

/// Beacons of players, and what follows from them.
extension Origin {
    /// Takes a beacon about a title.
    ///
    /// - Returns: 204, or after an error the tier that holds now and the playlist to load.
    /// - Throws: `.invalidOption`, `.limitExceeded`.
    func take(beacon request: Request, _ title: Title, _ options: TitleOptions) throws(NodeFailure) -> Response {
        guard request.body.count <= ViewerBeacon.limit else {
            return .text("a beacon may have \(ViewerBeacon.limit) bytes\n", status: 413)
        }
        let beacon = try ViewerBeacon(request.body)
        engine.beacons.note(beacon.event)
        engine.viewers.note(request, beacon)
        var response = Response(status: 204)
        if beacon.event == .error {
            let viewer = ViewerTable.name(request)
            let held = engine.fallbacks.tier(viewer, title: title.name)
            let tier = FallbackRule.next(held, after: beacon.code, hasClaim: claims(title, options))
            if tier > held {
                engine.fallbacks.set(tier, viewer, title: title.name)
                engine.beacons.note(tier)
                engine.emit(.fallback(title: title.name, viewer: viewer, tier: tier.name, code: beacon.code))
            }
            let text = JSONValue.object([
                .init("tier", .string(tier.name)),
                .init("playlist", .string(address(tier, title, options, request))),
            ]).encoded()
            response = Response(type: "application/json", body: .bytes(Array(text.utf8)))
        }
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    /// Leads a viewer whose player has refused the playlist to what it was given instead; nil where nothing is
    /// remembered. An address still has one content: it is the redirect that differs, and nobody keeps that.
    func fallback(_ request: Request, _ title: Title, _ options: TitleOptions) -> Response? {
        let tier = engine.fallbacks.tier(ViewerTable.name(request), title: title.name)
        guard tier != .full, tier == .media || (claims(title, options) && !options.isPlain) else { return nil }
        var response = Response.redirect(to: address(tier, title, options, request))
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    /// Whether the multivariant playlist names more than the base layer.
    private func claims(_ title: Title, _ options: TitleOptions) -> Bool {
        let offer = TitleOffer(title.facts, options.shape, options.capabilities ?? .generic)
        guard offer.claimsVision, let video = title.facts.video else { return false }
        return (try? TrackFactory.track(title.facts, video).entry.supplementalCodec) != nil
    }

    /// Relative to the options' folder.
    private func address(_ tier: FallbackTier, _ title: Title, _ options: TitleOptions, _ request: Request) -> String {
        let token = AccessPolicy.viewerToken(request).map { "?v=\($0)" } ?? ""
        switch tier {
        case .full: return "../~\(options.text)/master.m3u8\(token)"
        case .plain: return "../~\(options.plain.text)/master.m3u8\(token)"
        case .media:
            let muxed = title.facts.audio.isEmpty ? options : options.muxed
            let name = TitleLayout(title.facts, muxed.shape).names.first ?? "video"
            return "../~\(muxed.text)/\(title.planID)/\(name).m3u8\(token)"
        }
    }
}
