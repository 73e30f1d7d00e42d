import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTransport

/// The stages of the packet line on a whole film that was demultiplexed, repaired and cut before: an item a packet,
/// and the payload's bytes a second. The first warm-up prepares it.
let lineBenchmarks: [NodeBenchmark] = [
    NodeBenchmark(name: "repair/film", items: BenchmarkFilm.packets, bytes: BenchmarkFilm.mkv.size, hops: 2) {
        let line = try await PreparedLine.shared.stages()
        let result: (items: [Item<Packet>], payloads: Int) = try await NodeLine.items(
            "repair", line.demuxed, to: "packets", resources: line.resources, keeps: false)
        try expect(result.payloads, count(line.repaired))
    },
    NodeBenchmark(name: "cutter/film", items: BenchmarkFilm.packets, bytes: BenchmarkFilm.mkv.size, hops: 2) {
        let line = try await PreparedLine.shared.stages()
        let result: (items: [Item<Packet>], payloads: Int) = try await NodeLine.items(
            "cutter", line.repaired, to: "packets", resources: line.resources, keeps: false)
        try expect(result.payloads, count(line.cut))
    },
    NodeBenchmark(name: "fmp4-muxer/film", items: BenchmarkFilm.packets, bytes: BenchmarkFilm.mkv.size, hops: 2) {
        let line = try await PreparedLine.shared.stages()
        let result: (items: [Item<Fragment>], payloads: Int) = try await NodeLine.items(
            "fmp4-muxer", line.cut, to: "fragments", resources: line.resources, keeps: false)
        // A section and every segment, for picture and sound.
        try expect(result.payloads, 2 * (line.segments + 1))
    },
]

private func count(_ items: [Item<Packet>]) -> Int {
    items.count { if case .payload = $0 { true } else { false } }
}

private func expect(_ got: Int, _ expected: Int) throws {
    guard got == expected, got > 0 else { throw WrongResult(expected: expected, got: got) }
}

/// The film between the stages of the line, made once a process.
private actor PreparedLine {
    struct Stages: Sendable {
        var demuxed: [Item<Packet>]
        var repaired: [Item<Packet>]
        var cut: [Item<Packet>]
        var segments: Int
        var resources: Resources
    }

    static let shared = PreparedLine()
    private var made: Stages?

    func stages() async throws -> Stages {
        if let made { return made }
        let path = try BenchmarkFilm.mkv.path()
        let title = try await BlockingThreads.shared.run { () throws(NodeFailure) -> PlannedTitle in
            let source = try FileSource(path: path)
            defer { source.close() }
            var options = PlanBuilder.Options()
            options.basis = .scan
            return try PlanBuilder.title(source, hint: path, options: options)
        }
        let resources = Resources.none.with(title.facts).with(title.plan)
        let link = ByteLink()
        link.provide(try FileSource(path: path), name: "film.mkv")
        defer { link.close() }
        let demuxed: (items: [Item<Packet>], payloads: Int) = try await NodeLine.run(
            "demuxer", inputs: ["bytes": link], to: "packets", resources: resources, keeps: true)
        let repaired: (items: [Item<Packet>], payloads: Int) = try await NodeLine.items(
            "repair", demuxed.items, to: "packets", resources: resources)
        let cut: (items: [Item<Packet>], payloads: Int) = try await NodeLine.items(
            "cutter", repaired.items, to: "packets", resources: resources)
        let stages = Stages(
            demuxed: demuxed.items, repaired: repaired.items, cut: cut.items, segments: title.plan.segments.count,
            resources: resources)
        made = stages
        return stages
    }
}
