import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTestKit
import Testing

/// Where a seek landed is told on the output timeline, whatever clock the packets are counted on.
@Suite struct LandingTests {
    private func landings(_ steps: [HarnessStep<Packet>]) async throws -> [Timestamp?] {
        try await SinkHarness(HashSinkNode.self, input: "packets").run(steps: steps).reports.compactMap { report in
            if case .landed(_, let time) = report { .some(time) } else { nil }
        }
    }

    /// A picture that is decoded 80 ms before it is shown, on the 90 kHz clock of a recording.
    private func picture(at ticks: Int64) -> HarnessStep<Packet> {
        .item(
            .payload(
                Packet(
                    stream: StreamID(0), timebase: Timebase(hertz: 90_000), presentationTicks: ticks,
                    decodeTicks: ticks - 7_200, isKeyframe: true, bytes: [1])))
    }

    private func segment(start: Double, source: Double) -> HarnessStep<Packet> {
        .item(
            .event(
                .segment(
                    TimelineSegment(start: Timestamp(seconds: start), sourceStart: Timestamp(seconds: source)))))
    }

    /// The recording begins at 10 h; 28 s into it is 36028 s on its clock.
    @Test func theSourcesClockIsMapped() async throws {
        let landed = try await landings([
            segment(start: 0, source: 36_000), picture(at: 36_028 * 90_000), picture(at: 36_029 * 90_000), .item(.end),
        ])
        #expect(landed == [Timestamp(seconds: 28)])
    }

    /// The second epoch begins at 60 s of the output, which is 36060 s of the source, with a picture 2 s later.
    @Test func everyEpochHasItsOwnMap() async throws {
        let landed = try await landings([
            segment(start: 0, source: 36_000), picture(at: 36_000 * 90_000), .settle, .flush,
            segment(start: 60, source: 36_060), picture(at: 36_062 * 90_000), .settle, .flush,
            // Packets that are placed already: the identity.
            segment(start: 60, source: 60), picture(at: 61 * 90_000), .item(.end),
        ])
        #expect(landed == [Timestamp(seconds: 0), Timestamp(seconds: 62), Timestamp(seconds: 61)])
    }

    @Test func withoutAMapThePacketsTimeIsTaken() async throws {
        let landed = try await landings([
            segment(start: 0, source: 36_000), picture(at: 36_000 * 90_000), .settle, .flush, picture(at: 90_000),
            .item(.end),
        ])
        #expect(landed == [Timestamp(seconds: 0), Timestamp(seconds: 1)])
    }

    @Test func anEmptyEpochHasNoTime() async throws {
        #expect(try await landings([segment(start: 5, source: 9), .item(.end)]) == [nil])
    }

    @Test func mapsSaturate() {
        let far = TimelineSegment(
            start: Timestamp(.max, .nanoseconds), sourceStart: Timestamp(.min, .nanoseconds))
        #expect(far.output(.max) == .max)
        let back = TimelineSegment(start: Timestamp(.min, .nanoseconds), sourceStart: Timestamp(.max, .nanoseconds))
        #expect(back.output(.min) == .min)
    }
}
