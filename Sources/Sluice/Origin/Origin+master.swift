import SluiceCore
import SluiceNodes

/// The multivariant playlist, and the redirects that give every answer one address.
extension Origin {
    /// - Throws: `.unsupported` for pictures that the client does not play.
    func master(
        _ request: Request, _ title: Title, _ options: TitleOptions, _ offer: TitleOffer
    ) throws(NodeFailure) -> Response {
        if let refusal = offer.refusal { throw NodeFailure(.unsupported, refusal) }
        var response = playlist(
            request, try TitlePlaylists(title: title, offer: offer).master(), isImmutable: false)
        if options.capabilities == nil, !TitleOffer.differing(title.facts, options.shape, options.sounds).isEmpty {
            vary(&response)
        }
        return response
    }

    /// Leads clients that name themselves to what they play.
    ///
    /// Only where that changes what the playlist says: most titles are spared the round trip, and an address still has
    /// one content, because without `caps` it is always the one for clients of which nothing is known.
    ///
    /// - Returns: nil where the request says what the client plays, or where it makes no difference.
    func redirect(_ request: Request, _ facts: TitleFacts, _ options: TitleOptions) -> Response? {
        guard options.capabilities == nil else { return nil }
        let profile = ClientProfile(userAgent: request.headers["User-Agent"] ?? "")
        let wanted = options.with(profile)
        guard let capabilities = wanted.capabilities,
            !TitleOffer(facts, options.shape, capabilities, options.sounds)
                .isSame(as: TitleOffer(facts, options.shape, .generic, options.sounds))
        else { return nil }
        var response = redirect(request, to: wanted)
        vary(&response)
        return response
    }

    /// Options in the query move into the path, and those in the path into their order, so that an answer has one
    /// address; nil where they are so already.
    ///
    /// - Throws: `.invalidOption` for options that are not known.
    func canonical(_ request: Request, _ options: TitleOptions, from text: String) throws(NodeFailure) -> Response? {
        var options = options
        let wanted = request.query.filter { $0.name != "v" }
        for item in wanted {
            // In a query `+` stands for a space, which no value has.
            try options.set(
                item.name, ["caps", "lang"].contains(item.name) ? item.value.replacing(" ", with: "+") : item.value)
        }
        return wanted.isEmpty && options.text == text ? nil : redirect(request, to: options)
    }

    private func redirect(_ request: Request, to options: TitleOptions) -> Response {
        let token = AccessPolicy.viewerToken(request).map { "?v=\($0)" } ?? ""
        // Relative to the folder above: `…/~old/master.m3u8` and `…/~new/master.m3u8` are neighbours.
        var response = Response.redirect(to: "../~\(options.text)/master.m3u8\(token)")
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    /// Other clients are answered otherwise at the same address: no cache may hand this to them.
    private func vary(_ response: inout Response) {
        response.headers["Vary"] = "User-Agent"
        response.headers["Cache-Control"] = "no-store"
    }
}
