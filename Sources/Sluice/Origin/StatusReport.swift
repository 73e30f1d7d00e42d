import SluiceCore
import SluiceDataflow
import SluiceGraph

/// What a status page shows: the library, what is being made for whom, and the graphs that make it.
struct StatusReport {
    private let engine: Engine
    private let titles: [Title]
    private let token: String?
    private let expiry: Int64

    /// - Parameters:
    ///   - token: goes into the addresses of master playlists.
    ///   - expiry: of addresses that are signed here, in seconds since 1970.
    init(_ engine: Engine, token: String? = nil, expiry: Int64 = 0) async {
        self.expiry = expiry
        self.engine = engine
        self.token = token
        titles = await engine.openTitles()
    }

    var text: String {
        JSONValue.object([
            .init("titles", .array(engine.catalog.files.map(title))),
            .init("producers", .array(titles.flatMap(producers))),
            .init("viewers", .array(viewers)), .init("store", store),
            .init("graphs", .array(titles.flatMap { title in title.snapshots.map { graph($0, title.name) } })),
        ]).encoded()
    }

    // MARK: - Titles

    private func title(_ file: TitleCatalog.File) -> JSONValue {
        var fields: [JSONValue.Member] = [
            .init("source", .string(file.name)), .init("id", .string(file.name)),
            .init("master", .string(Self.master(file.components) + query(file))),
        ]
        switch engine.catalog.entry(file.name) {
        case nil:
            fields += [.init("duration", .null), .init("video", .null), .init("audio", .array([]))]
        case .refused(let reason):
            fields += [
                .init("duration", .null), .init("video", .null), .init("audio", .array([])),
                .init("error", .string(reason)),
            ]
        case .known(let summary):
            fields += [
                .init("duration", .real(summary.duration.inSeconds)), .init("segments", .integer(summary.segments)),
                .init("video", summary.video.map(video) ?? .null), .init("audio", .array(summary.audio.map(audio))),
            ]
        }
        return .object(fields)
    }

    /// The viewer's own token, or a signature for whoever showed another proof.
    private func query(_ file: TitleCatalog.File) -> String {
        let value = token ?? engine.options.access.signature(for: .title(file.components), expiry: expiry)
        return value.map { "?v=\($0)" } ?? ""
    }

    /// Relative to the server's own address.
    static func master(_ components: [String]) -> String {
        "v1/"
            + components.map { PercentEncoding.encode($0.hasPrefix("~") ? "~" + $0 : $0) }.joined(separator: "/")
            + "/~/master.m3u8"
    }

    private func video(_ video: TitleSummary.Video) -> JSONValue {
        [
            "codec": .string(video.codec), "width": .integer(video.width), "height": .integer(video.height),
            "range": .string(video.range),
        ]
    }

    private func audio(_ audio: TitleSummary.Audio) -> JSONValue {
        [
            "rendition": .string(audio.rendition), "codec": .string(audio.codec),
            "language": audio.language.map { .string($0) } ?? .null,
            "title": audio.title.map { .string($0) } ?? .null, "channels": .integer(audio.channels),
        ]
    }

    // MARK: - Production

    private func producers(_ title: Title) -> [JSONValue] {
        title.tables.flatMap { set in set.table.statuses.map { (set.rendition, $0) } }.map { rendition, producer in
            [
                "title": .string(title.name), "shape": .string(title.shape.rawValue), "id": .integer(producer.id),
                "rendition": rendition.map { .string($0) } ?? .null,
                "next": producer.next.map { .integer($0) } ?? .null, "furthest": .integer(producer.furthest),
                "waits": .integer(producer.waits),
                "state": .string(producer.snapshot.map { "\($0.phase)" } ?? "starting"),
            ]
        }
    }

    private var viewers: [JSONValue] {
        let now = engine.options.clock.now
        return engine.viewers.current().map { viewer in
            [
                "id": .string(viewer.id), "address": .string(viewer.address), "title": .string(viewer.title),
                "rendition": .string(viewer.rendition),
                "segment": viewer.segment.map { .integer($0) } ?? .null,
                "position": viewer.position.map { .real($0) } ?? .null, "stalls": .integer(viewer.stalls),
                "error": viewer.error.map { .string($0) } ?? .null, "requests": .integer(viewer.requests),
                "bytes": .integer(Int(clamping: viewer.bytes)),
                "idle": .real(viewer.lastSeen.duration(to: now).inSeconds),
            ]
        }
    }

    private var store: JSONValue {
        [
            "ramBytes": .integer(engine.store.bytes), "ramLimit": .integer(engine.store.budget),
            "diskBytes": .integer(Int(clamping: engine.store.diskBytes)),
            "diskLimit": .integer(Int(clamping: engine.store.diskBudget)), "files": .integer(engine.store.count),
        ]
    }

    // MARK: - Graphs

    private func graph(_ snapshot: GraphSnapshot, _ title: String) -> JSONValue {
        [
            "title": .string(title), "name": .string(snapshot.graph), "phase": .string("\(snapshot.phase)"),
            "nodes": .array(snapshot.nodes.map(node)), "links": .array(snapshot.links.map(link)),
        ]
    }

    private func node(_ node: GraphSnapshot.NodeState) -> JSONValue {
        let numbers = node.numbers
        // A source takes nothing in, a sink sends nothing out.
        let items = numbers.itemsOut > 0 ? numbers.itemsOut : numbers.itemsIn
        let bytes = numbers.bytesOut > 0 ? numbers.bytesOut : numbers.bytesIn
        return [
            "id": .string(node.name), "kind": .string(node.kind), "state": .string("\(numbers.activity)"),
            "items": .integer(Int(clamping: items)), "bytes": .integer(Int(clamping: bytes)),
            "busy": .real(Double(node.busy) / 1e9), "errors": .integer(Int(clamping: numbers.errors)),
        ]
    }

    /// `items` is what lies in the link now; `queued` and `bound` are its bytes.
    private func link(_ link: GraphSnapshot.LinkState) -> JSONValue {
        [
            "from": .string(link.from), "to": .string(link.to), "payload": .string("\(link.payload)"),
            "queued": .integer(link.level.bytes), "bound": .integer(link.limits.bytes),
            "items": .integer(link.level.items),
        ]
    }
}
