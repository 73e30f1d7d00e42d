import Foundation
import SluiceAV
import SluiceCore
import SluiceTransport
import TestTools
import Testing

@testable import SluiceNodes

/// The same material in several containers, planned from what each of them offers.
@Suite(.enabled(if: PlanSources.isPresent))
struct PlanTwinTests {
    /// Seconds from the first picture, as the coder was told to place the keys, to the nearest picture.
    private let irregularKeys = [0, 6.507, 13.096, 18.936, 26.735, 30.614, 36.078, 42.417, 49.216, 54.012]

    @Test func irregularGroupsAreTheSameFromTablesAndFromEveryScan() throws {
        let tables = try plan(PlanSources.irregularMovie, .sampleTables)
        let scans = try [PlanSources.irregularMovie, PlanSources.irregular, PlanSources.irregularTransport].map {
            try plan($0, .scan)
        }

        expect(tables, starts: irregularKeys)
        #expect(tables.plan.segments.allSatisfy { $0.kind == .idr && $0.isClosed == true })
        #expect(tables.plan.isIndependent)
        #expect(tables.facts.framePeriod == Timebase(1_001, 24_000))
        for scan in scans { expectTwins(tables, scan) }
        #expect(sizes(tables) == sizes(scans[0]))
        #expect(sizes(tables) == sizes(scans[1]), "MP4 and Matroska hold the same bytes")
    }

    @Test func openGroupsAreSeenInThePicturesOfEveryContainer() throws {
        let tables = try plan(PlanSources.openGroupsMovie, .sampleTables)
        let scans = try [PlanSources.openGroupsMovie, PlanSources.openGroups, PlanSources.openGroupsTransport].map {
            try plan($0, .scan)
        }

        // A key every 48 pictures of 1001/24000 s: each second one is the first at or after a multiple of 4 s.
        expect(tables, starts: [0, 4.004, 8.008, 12.012, 16.016, 20.020])
        #expect(tables.plan.segments.dropFirst().allSatisfy { $0.kind == .cra && $0.isClosed == false })
        #expect(!tables.plan.isIndependent)
        for scan in scans { expectTwins(tables, scan) }
        #expect(sizes(tables) == sizes(scans[1]))
        // Leading pictures present before the picture that opens their segment.
        for segment in tables.plan.segments.dropFirst() { #expect(try #require(segment.decodeStart) < segment.start) }
    }

    @Test func deepPyramidsAreTheSameInEveryContainer() throws {
        let tables = try plan(PlanSources.pyramidMovie, .sampleTables)
        let scans = try [PlanSources.pyramidMovie, PlanSources.pyramid, PlanSources.pyramidTransport].map {
            try plan($0, .scan)
        }

        #expect(tables.plan.segments.allSatisfy { $0.kind == .idr && $0.isClosed == true })
        #expect(tables.facts.reorderDepth >= 2)
        for scan in scans { expectTwins(tables, scan) }
        #expect(sizes(tables) == sizes(scans[1]))
    }

    @Test func variableCadenceStaysWithoutAGrid() throws {
        let tables = try plan(PlanSources.variableMovie, .sampleTables)
        let scan = try plan(PlanSources.variable, .scan)

        #expect(tables.facts.framePeriod == nil)
        #expect(scan.facts.framePeriod == nil)
        #expect(scan.facts.clocks.values.allSatisfy { $0.grids.isEmpty })
        expectTwins(tables, scan)
        #expect(sizes(tables) == sizes(scan))
    }

    @Test func transportSamplesAreCountedLikeThoseOfTheTwin() throws {
        let movie = try plan(PlanSources.irregularMovie, .sampleTables)
        let transport = try plan(PlanSources.irregularTransport, .scan)

        let video = { (title: PlannedTitle) in title.plan.segments.map { $0.tracks[0].samples } }
        #expect(video(movie) == video(transport))
    }

    @Test(.enabled(if: PlanSources.shared != nil))
    func aSyncTableWithOneEntryIsNotBelieved() throws {
        let damaged = PlanSources.directory + "/stss1.mp4"
        try ExternalTool.run(
            "python3",
            [
                try #require(PlanSources.shared) + "/tools/mk.py", "stss_first", try PlanSources.openGroupsMovie.get(),
                damaged,
            ])

        let tables = try plan(.success(damaged), .sampleTables)
        let whole = try plan(PlanSources.openGroupsMovie, .sampleTables)

        #expect(tables.plan.segments.map(\.start) == whole.plan.segments.map(\.start))
        #expect(tables.plan.segments.map(\.kind) == whole.plan.segments.map(\.kind))
        #expect(tables.facts.ignoresKeyFlags)
    }

    @Test func aMovieThatWasCutOffIsPlannedFromWhatIsThere() throws {
        let whole = try Data(
            contentsOf: URL(
                fileURLWithPath: PlanSources.make(
                    "fast.mp4", ["-i", try PlanSources.irregular.get(), "-c", "copy", "-movflags", "+faststart"]
                ).get()))
        let path = PlanSources.directory + "/cut.mp4"
        try whole.prefix(whole.count * 6 / 10).write(to: URL(fileURLWithPath: path))
        let source = try Transport.open(path)
        defer { source.close() }

        let title = try PlanBuilder.title(source, hint: path)

        #expect(title.plan.basis == .scan)
        let end = Timestamp(title.plan.end, title.plan.timebase).seconds
        #expect((30.0...45.0).contains(end), "60 s at an even rate, six tenths of them; the file says \(end)")
    }

    @Test func aPauseInTheSoundBeginsANewGrid() throws {
        let title = try plan(PlanSources.soundGap, .scan)
        let audio = try #require(title.facts.audio.first)

        let clock = try #require(title.facts.clocks[audio])
        #expect(clock.grids.count == 2)
        #expect(clock.grid?.period == 1_024)
    }

    @Test func joinedRecordingsGoOnWhereTheFirstEnds() throws {
        let title = try plan(PlanSources.joined, .scan)
        let video = try #require(title.facts.video)

        #expect(title.facts.clocks[video]?.epochs.count == 1)
        let end = Timestamp(title.plan.end, title.plan.timebase).seconds
        #expect(abs(end - 48) < 0.001)
        #expect(title.plan.segments.reduce(0) { $0 + $1.tracks[0].samples } == 1_200)
        let starts = title.plan.segments.map(\.start)
        #expect(starts == starts.sorted() && Set(starts).count == starts.count)
    }

    @Test func anotherSizeOpensASegmentAndAConfiguration() throws {
        let title = try plan(PlanSources.sizeChange, .scan)

        #expect(title.facts.versions.map(\.width) == [320, 640])
        let marked = title.plan.segments.filter(\.isDiscontinuous)
        #expect(marked.map(\.version) == [1])
        #expect(abs(Timestamp(try #require(marked.first).start, title.plan.timebase).seconds - 12) < 0.001)
    }

    @Test func aStoredPlanReloadsEqualAndAChangedFileIsPlannedAnew() throws {
        let path = PlanSources.directory + "/changing.mp4"
        let store = try PlanStore(directory: PlanSources.directory + "/plans")
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: PlanSources.irregularMovie.get(), toPath: path)

        let first = try title(path, .sampleTables, store: store)
        let second = try title(path, .sampleTables, store: store)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count / 2] ^= 0x40
        try bytes.write(to: URL(fileURLWithPath: path))
        let third = try title(path, .sampleTables, store: store)

        #expect(!first.wasStored && second.wasStored)
        #expect(first.facts == second.facts && first.plan == second.plan)
        #expect(first.fingerprint == second.fingerprint)
        #expect(!third.wasStored)
        #expect(third.facts.identity != first.facts.identity)
    }

    // MARK: - Private

    private func plan(_ source: Result<String, any Error>, _ basis: TitlePlan.Basis) throws -> PlannedTitle {
        try title(try source.get(), basis)
    }

    private func title(_ path: String, _ basis: TitlePlan.Basis, store: PlanStore? = nil) throws -> PlannedTitle {
        let source = try Transport.open(path)
        defer { source.close() }
        var options = PlanBuilder.Options()
        options.basis = basis
        return try PlanBuilder.title(source, hint: path, options: options, store: store)
    }

    private func expect(_ title: PlannedTitle, starts: [Double]) {
        let found = title.plan.segments.indices.map { title.plan.start($0).seconds }
        #expect(found.count == starts.count)
        for (found, wanted) in zip(found, starts) { #expect(abs(found - wanted) < 0.001, "\(found) is not \(wanted)") }
    }

    private func expectTwins(_ left: PlannedTitle, _ right: PlannedTitle) {
        #expect(left.plan.segments.count == right.plan.segments.count)
        for index in left.plan.segments.indices where right.plan.segments.indices.contains(index) {
            let distance = left.plan.start(index).seconds - right.plan.start(index).seconds
            #expect(abs(distance) <= 0.001, "segment \(index) of \(right.facts.formatName)")
        }
        #expect(left.plan.segments.map(\.kind) == right.plan.segments.map(\.kind))
        #expect(left.plan.segments.map(\.isClosed) == right.plan.segments.map(\.isClosed))
    }

    private func sizes(_ title: PlannedTitle) -> [Int64] { title.plan.segments.map { $0.tracks[0].bytes } }
}
