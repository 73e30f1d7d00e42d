import Foundation
import SluiceBitstream
import SluiceCore
import SluiceDataflow
import SluiceGraph
import TestTools
import Testing

@testable import SluiceNodes

/// Samples whose framing is not what the record says, records that say nothing, and chains of units that are damaged.
@Suite(.serialized, .enabled(if: PlanSources.isPresent)) struct SampleRepairTests {
    /// Small pictures, so that their units fit behind short lengths; parameter sets come with every key.
    static let film = Result { () throws -> String in
        let transport = try PlanSources.make(
            "samples.ts",
            ["-f", "lavfi", "-i", "color=gray:s=32x32:r=25:d=14"] + PlanSources.x264 + [
                "-bf", "2", "-g", "25", "-bsf:v", "filter_units=remove_types=6",
            ]
        ).get()
        return try PlanSources.make("samples.mp4", ["-i", transport, "-c", "copy"]).get()
    }

    enum Fault: String, CaseIterable {
        case startCodesUnderLengths, lengthsUnderStartCodes, lengthsOfTwo, lengthsOfOne, noSetsInRecord
    }

    private static func spoil(_ fault: Fault) -> Result<String, any Error> {
        TwinSources.edited(film, "samples-\(fault.rawValue).mp4") { editor in
            var record = try editor.configuration("avcC")
            func reframe(_ length: Int) throws {
                try editor.rewriteSamples { sample in
                    MovieEditor.units(sample).flatMap { unit in
                        (0..<length).map { UInt8(truncatingIfNeeded: unit.count >> (8 * (length - 1 - $0))) } + unit
                    }
                }
                record[4] = 0xFC | UInt8(length - 1)
                try editor.setConfiguration("avcC", record)
            }
            switch fault {
            case .startCodesUnderLengths:
                try editor.rewriteSamples { MovieEditor.units($0).flatMap { [0, 0, 0, 1] + $0 } }
            case .lengthsUnderStartCodes:
                // One sequence set and one picture set, each behind a length of two bytes.
                let length = Int(record[6]) << 8 | Int(record[7])
                let sequence = Array(record[8..<(8 + length)])
                let place = 8 + length + 1
                let picture = Array(record[(place + 2)..<(place + 2 + Int(record[place + 1]))])
                let codes = [0, 0, 0, 1] + sequence + [0, 0, 0, 1] + picture
                let rest = [UInt8](repeating: 0, count: record.count - codes.count)
                try editor.setConfiguration("avcC", codes + rest)
            case .lengthsOfTwo: try reframe(2)
            case .lengthsOfOne: try reframe(1)
            case .noSetsInRecord:
                try editor.setConfiguration("avcC", Array(record.prefix(5)) + [0xE0, 0])
            }
        }
    }

    @Test(arguments: Fault.allCases) func misdeclaredSamplesAreThoseOfTheirTwins(fault: Fault) async throws {
        let healthy = try await TwinRun(Self.film)
        let broken = try await TwinRun(Self.spoil(fault))
        try broken.expectSame(as: healthy)
        let key = MuxRun.Key(rendition: "video", index: nil, version: 0)
        let (found, wanted) = try (record(broken.fragments[key]), record(healthy.fragments[key]))
        // Four-byte lengths and the same sets, whatever the source has.
        #expect(found == wanted)
        try await broken.expectSameFromFivePlaces()
    }

    private func record(_ section: [UInt8]?) throws -> [UInt8] {
        let contents = try InitializationContents(try #require(section))
        return try #require(contents.tracks.first?.entries.first?.payload("avcC"))
    }

    /// Samples of one unit whose length reaches behind it, and one with bytes behind its unit that are none.
    @Test func cutChainsAndEmptySamplesAreCounted() async throws {
        let film = TwinSources.edited(TwinSources.closed, "overrun.mp4") { editor in
            let samples = try editor.pictureSamples()
            try editor.overrun(sample: samples[101], by: 5_000)
            try editor.overrun(sample: samples[203], by: 5_000)
        }
        let run = try await counted(film)
        #expect(run.mux["empty-sample"] == 2)
        let cut = try await counted(
            TwinSources.edited(TwinSources.closed, "tail.mp4") { editor in
                // The picture's own unit ends earlier; what is left of the sample is no unit.
                let sample = try editor.pictureSamples()[101]
                let size = sample.count - 4 - 6
                editor.put([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }, at: sample.lowerBound)
                editor.put([0, 0, 1, 0, 0, 0], at: sample.upperBound - 6)
            })
        #expect(cut.mux["cut-chain"] == 1)
    }

    @Test func restampedPicturesAreCounted() async throws {
        let healthy = try await counted(TwinSources.closed)
        #expect(healthy.repair.isEmpty && healthy.mux.isEmpty)
        let broken = try await counted(TwinSources.withoutOffsets(TwinSources.closed, "counted.mp4"))
        #expect(broken.repair["restamped"] == 500)
    }

    /// What the nodes have counted when all of a file was made.
    private func counted(
        _ made: Result<String, any Error>
    ) async throws -> (repair: [String: UInt64], mux: [String: UInt64]) {
        let path = try made.get()
        let title = try await TwinRun(made).title
        let store = FragmentStore(isOpen: true)
        let runner = try GraphRunner(
            plan: PacketLine.plan(
                path, StandardNodes.registry,
                then: [
                    .init(name: "muxer", kind: "fmp4-muxer", port: "packets", payload: .packet),
                    .init(name: "publisher", kind: "segment-publisher", port: "fragments", payload: .fragment),
                ]), registry: StandardNodes.registry,
            resources: Resources.none.with(title.facts).with(title.plan).with(store as any SegmentDestination))
        try await runner.run()
        func repairs(_ kind: String) -> [String: UInt64] {
            runner.snapshot().nodes.first { $0.kind == kind }?.numbers.repairs ?? [:]
        }
        return (repairs("repair"), repairs("fmp4-muxer"))
    }
}
