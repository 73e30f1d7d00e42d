import SluiceCore
import SluiceNodes

extension Origin {
    /// First path component of remote sources.
    static let remoteRoot = "url"

    func title(
        _ request: Request, _ source: [String], _ options: String, _ object: OriginPath.Object
    ) async -> Response {
        do {
            let wanted = try TitleOptions(options)
            if object == .events, request.method != .post {
                return Response(status: 405, headers: ["Allow": "POST, OPTIONS"])
            }
            if object == .master, let canonical = try canonical(request, wanted, from: options) { return canonical }
            let place = try locate(source)
            var title = try await open(place, source, wanted.shape, checking: object == .master)
            if object == .events { return try take(beacon: request, title, wanted) }
            if object == .master, let redirect = redirect(request, title.facts, wanted) { return redirect }
            if object == .master, let redirect = fallback(request, title, wanted) { return redirect }
            var choice = Title.Choice(vision: wanted.vision(for: title.facts))
            var seen = title.facts
            choice.apply(to: &seen)
            let facts = seen
            // Segments of renditions are the same for everybody: what the client is offered does not matter there.
            func offer() -> TitleOffer {
                TitleOffer(
                    facts, wanted.shape, wanted.capabilities ?? .generic, wanted.sounds, isPlain: wanted.isPlain)
            }
            if wanted.shape == .muxed { offer().chooseSound(&choice, of: facts) }
            if choice != .plain { title = try await engine.title(title, choice) }
            switch object {
            case .master: return try master(request, title, wanted, offer())
            case .events: return .notFound("no such object")
            case .facts:
                let text = TitleReport(title, wanted, offer()).text
                return Response(type: "application/json", body: .bytes(Array(text.utf8)))
            case .cover: return try await cover(title)
            case .playlist(let plan, let rendition):
                guard plan == title.planID else { return stale() }
                guard let text = TitlePlaylists(title: title).media(rendition) else {
                    return .notFound("the title has no playlist '\(rendition)'")
                }
                if title.subtitles.track(rendition) != nil { return playlist(request, text, isImmutable: true) }
                // The player's next request is for a segment, most often the first.
                let first = SegmentKey(rendition: rendition, role: .media(index: 0))
                if BridgeName(rendition) == nil, engine.store.find(title.key, first) == nil { title.producers.warm() }
                return playlist(request, text, isImmutable: true)
            case .script(let plan, let rendition):
                guard plan == title.planID else { return stale() }
                guard let track = title.subtitles.track(rendition) else {
                    return .notFound("the title has no text track '\(rendition)'")
                }
                return await script(title, track)
            case .image(let plan, let rendition, let object):
                guard plan == title.planID else { return stale() }
                guard let track = title.images.track(rendition) else {
                    return .notFound("the title has no bitmap track '\(rendition)'")
                }
                return await image(title, track, object)
            case .segment(let plan, let key):
                guard plan == title.planID else { return stale() }
                if let track = title.subtitles.track(key.rendition) { return await text(title, track, key) }
                return await segment(request, title, key)
            }
        } catch {
            return Self.refusal(changed(error, source, object))
        }
    }

    /// Of a plan that was served, a source that cannot be opened any more is one that has changed.
    private func changed(_ error: any Error, _ source: [String], _ object: OriginPath.Object) -> any Error {
        guard object.isOfPlan, let failure = error as? NodeFailure,
            [.notFound, .notMedia, .malformedInput, .unsupported].contains(failure.code),
            case .known = engine.catalog.entry(source.joined(separator: "/"))
        else { return error }
        return NodeFailure(.sourceChanged, failure.message)
    }

    /// Path or URL of the source.
    private func locate(_ source: [String]) throws(NodeFailure) -> String {
        guard source.first == Self.remoteRoot else { return try engine.library.resolve(source) }
        guard source.count == 2, let bytes = Base64URL.decode(source[1]),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw NodeFailure(.notFound, "expected \(Self.remoteRoot)/ and the URL in base64url") }
        return try engine.options.sources.admit(text)
    }

    /// - Parameter checking: whether a source that has changed is planned anew; else it is an error.
    private func open(
        _ place: String, _ source: [String], _ shape: Title.Shape, checking: Bool
    ) async throws -> Title {
        let name = source.joined(separator: "/")
        let title = try await engine.title(place, name: name, shape: shape)
        guard let change = checking ? await title.watch.lookFar() : title.watch.look() else { return title }
        await engine.forget(title)
        guard checking else { throw change }
        return try await engine.title(place, name: name, shape: shape)
    }

    private func segment(_ request: Request, _ title: Title, _ key: SegmentKey) async -> Response {
        guard let entry = title.entry(key.rendition) else {
            return .notFound("the title has no rendition '\(key.rendition)'")
        }
        let type = key.rendition == "video" ? "video/mp4" : "audio/mp4"
        switch key.role {
        case .initialization(let version) where !(0..<entry.versions).contains(version):
            return .notFound("no such initialization section")
        case .media(let index) where !title.plan.segments.indices.contains(index):
            return .notFound("segment \(index) is outside the plan of \(title.plan.segments.count)")
        case .initialization(let version):
            do throws(NodeFailure) {
                return immutable(.bytes(try title.section(entry, version: version)), type, title, key)
            } catch { return Self.refusal(error) }
        case .media: break
        }
        engine.viewers.arrive(request, title: title, key)
        let producers: ProducerTable
        do { producers = try title.producers(of: entry) } catch { return Self.refusal(error) }
        title.producers.noteUse()
        switch await producers.fetch(key, deadline: engine.options.segmentDeadline) {
        case .ready(let body):
            engine.viewers.deliver(request, bytes: body.size)
            return immutable(body, type, title, key)
        case .refused(let reason): return .unavailable(reason, retryAfter: 2)
        case .expired:
            if let change = title.watch.change { return .gone(change.description) }
            return .unavailable("the segment is not ready", retryAfter: 1)
        case .failed(let failure):
            // What was planned is not there any more: a master playlist asked for now is another one.
            title.watch.note(failure)
            guard let change = title.watch.look(always: true) else { return .gone(failure.description) }
            await engine.forget(title)
            return .gone(change.description)
        }
    }

    func immutable(_ body: Response.Body, _ type: String, _ title: Title, _ key: SegmentKey) -> Response {
        immutable(body, type, title, tag: key.entityTag)
    }

    func immutable(_ body: Response.Body, _ type: String, _ title: Title, tag: String) -> Response {
        var response = Response(type: type, body: body)
        response.headers["Cache-Control"] = "max-age=31536000, immutable"
        response.headers["ETag"] = "\"\(title.planID)-\(title.variety)-\(tag)\""
        return response
    }

    func playlist(_ request: Request, _ text: String, isImmutable: Bool) -> Response {
        var text = text
        if let token = AccessPolicy.viewerToken(request) { text = SignedPlaylist.text(text, token: token) }
        var response = Response(type: Self.playlistType, body: .bytes(Array(text.utf8)))
        response.headers["Cache-Control"] = isImmutable ? "max-age=31536000, immutable" : "no-cache"
        response.headers["ETag"] = "\"\(String(Checksum.of(text.utf8), radix: 16))\""
        return response
    }

    private func stale() -> Response { .gone("this plan is not current; load the master playlist again") }
}

extension SegmentKey {
    var entityTag: String {
        switch role {
        case .initialization(let version): "\(rendition)-init-\(version)"
        case .media(let index): "\(rendition)-\(index)"
        }
    }
}
