import Foundation
import SluiceBitstream
import SluiceCore
import SluiceTransport
import Testing

@testable import SluiceNodes

/// What a file becomes: every sample of every rendition, cold and from producers that begin elsewhere.
struct TwinRun {
    struct Sample: Equatable {
        /// Ticks of the track from the title's origin.
        var presentation: Int64
        var payload: UInt64
    }

    let path: String
    let title: PlannedTitle
    let fragments: [MuxRun.Key: [UInt8]]

    /// Plans the file as `sluice package` does and makes all of it.
    init(_ made: Result<String, any Error>, basis: TitlePlan.Basis? = nil) async throws {
        path = try made.get()
        let source = try Transport.open(path)
        defer { source.close() }
        var options = PlanBuilder.Options()
        options.target = .seconds(2)
        options.mayBeProvisional = false
        options.basis = basis
        title = try PlanBuilder.title(source, hint: path, options: options)
        fragments = try await MuxRun.collect(path, title, from: nil)
    }

    /// Samples in coding order.
    func samples(_ rendition: String) throws -> (timescale: UInt32, samples: [Sample]) {
        let section = try #require(fragments[MuxRun.Key(rendition: rendition, index: nil, version: 0)])
        let contents = try InitializationContents(section)
        let track = try #require(contents.tracks.first)
        let defaults = contents.tracks.reduce(into: [:]) { $0[$1.id] = $1.defaults }
        var all: [Sample] = []
        for index in title.plan.segments.indices {
            let bytes = try #require(fragments[MuxRun.Key(rendition: rendition, index: index, version: 0)])
            let run = try #require(FragmentContents.all(in: bytes, defaults: defaults).first?.tracks.first)
            var time = Int64(try #require(run.decodeTime))
            for sample in run.samples {
                let payload = bytes[sample.offset..<(sample.offset + Int(sample.size))]
                all.append(
                    Sample(presentation: time + sample.compositionOffset, payload: Checksum.of(Array(payload))))
                time += Int64(sample.duration)
            }
        }
        return (track.timescale, all)
    }

    /// Producers that begin with five segments spread over the title publish what the straight run did.
    func expectSameFromFivePlaces() async throws {
        let count = title.plan.segments.count
        try #require(count >= 6)
        for index in [1, 2, 3, count - 2, count - 1] {
            let anchored = try await MuxRun.collect(path, title, from: index)
            let wanted = fragments.filter { ($0.key.index ?? index) >= index }
            for (key, bytes) in wanted { #expect(anchored[key] == bytes, "\(path) begun at \(index): \(key)") }
        }
    }

    /// Pictures, and the sound where there is some, are those of `twin`, each at the same tick.
    func expectSame(as twin: TwinRun, sound: Bool = true) throws {
        for rendition in ["video"] + (sound && !title.facts.audio.isEmpty ? ["audio-1"] : []) {
            let (found, wanted) = (try samples(rendition), try twin.samples(rendition))
            #expect(found.timescale == wanted.timescale, "\(rendition)")
            #expect(found.samples.map(\.payload) == wanted.samples.map(\.payload), "\(rendition): payloads")
            let pairs = zip(found.samples, wanted.samples).enumerated()
            let moved = pairs.filter { $0.element.0.presentation != $0.element.1.presentation }
            let first = moved.first.map {
                "sample \($0.offset) at \($0.element.0.presentation), not \($0.element.1.presentation)"
            }
            #expect(
                moved.isEmpty, "\(rendition): \(moved.count) of \(found.samples.count) samples moved, \(first ?? "")")
        }
    }
}
