import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTransport

/// Everything that reads a container: bytes, packets, the demuxer node, plans. Figures are an item a packet, and the
/// file's bytes a second.
let mediaBenchmarks: [NodeBenchmark] =
    [
        NodeBenchmark(name: "file-source/64k", items: BenchmarkFilm.packets, bytes: BenchmarkFilm.mkv.size) {
            try await blocking { try readThrough(try BenchmarkFilm.mkv.path()) }
        }
    ]
    + BenchmarkFilm.allCases.flatMap { film in
        [
            NodeBenchmark(name: "reader/\(film)", items: BenchmarkFilm.packets, bytes: film.size) {
                try await blocking { try readPackets(try film.path()) }
            },
            NodeBenchmark(name: "demuxer/\(film)", items: BenchmarkFilm.packets, bytes: film.size, hops: 1) {
                let link = ByteLink()
                link.provide(try FileSource(path: try film.path()), name: "film.\(film)")
                defer { link.close() }
                let result: (items: [Item<Packet>], payloads: Int) = try await NodeLine.run(
                    "demuxer", inputs: ["bytes": link], to: "packets")
                try check(result.payloads, BenchmarkFilm.packets)
            },
        ]
    } + [(.mkv, .scan), (.mkv, .index), (.mp4, .sampleTables), (.ts, .scan)].map(planning)

private func planning(_ film: BenchmarkFilm, _ basis: TitlePlan.Basis) -> NodeBenchmark {
    NodeBenchmark(name: "plan/\(film)-\(basis)", items: BenchmarkFilm.packets, bytes: film.size) {
        try await blocking {
            let source = try FileSource(path: try film.path())
            defer { source.close() }
            var options = PlanBuilder.Options()
            options.basis = basis
            let title = try PlanBuilder.title(source, hint: "film.\(film)", options: options)
            // Random access points every two seconds, segments of four.
            guard (20...30).contains(title.plan.segments.count) else {
                throw WrongResult(expected: 25, got: title.plan.segments.count)
            }
        }
    }
}

private func readThrough(_ path: String) throws {
    let source = try FileSource(path: path)
    defer { source.close() }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var offset: Int64 = 0
    while true {
        let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0, at: offset) }
        if count == 0 { break }
        offset += Int64(count)
    }
    try check(Int(offset), BenchmarkFilm.mkv.size ?? -1)
}

private func readPackets(_ path: String) throws {
    let source = try FileSource(path: path)
    defer { source.close() }
    var reader = try FormatReader(source: source, hint: path)
    var count = 0
    while try reader.readPacket() != nil { count += 1 }
    try check(count, BenchmarkFilm.packets)
}

private func check(_ got: Int, _ expected: Int) throws {
    guard got == expected else { throw WrongResult(expected: expected, got: got) }
}

/// Runs blocking work on a thread that may.
private func blocking(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await BlockingThreads.shared.run { () throws(NodeFailure) in
        do { try body() } catch let failure as NodeFailure { throw failure } catch {
            throw NodeFailure(.internalInvariant, "\(error)")
        }
    }
}
