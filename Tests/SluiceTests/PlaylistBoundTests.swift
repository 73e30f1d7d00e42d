import Foundation
import SluiceCore
import SluiceNodes
import TestTools
import Testing

@testable import Sluice

/// Playlists of plans whose clocks run away.
@Suite struct PlaylistBoundTests {
    private func facts() -> TitleFacts {
        var sound = StreamFormat(id: StreamID(0), type: .audio, codec: "aac", timebase: .mpeg)
        sound.extradata = [0x11, 0x90]
        sound.audio = AudioFormat(sampleRate: 48_000, channels: 2)
        var facts = TitleFacts(formatName: "mpegts", streams: [sound], origin: Timestamp(0, .mpeg))
        facts.audio = [StreamID(0)]
        facts.clocks[StreamID(0)] = TrackClock(source: .mpeg, timescale: 48_000, origin: Timestamp(0, .mpeg))
        return facts
    }

    /// A title of one ordinary segment and one of `length` ticks, with `bytes` in each.
    private func plan(_ length: Int64, bytes: Int64) -> TitlePlan {
        var segments = [0, 192_000].map { PlannedSegment(start: $0, decodeStart: $0, anchor: .head) }
        for index in segments.indices {
            var track = PlannedTrack()
            (track.start, track.end) = (segments[index].start, segments[index].start &+ (index == 0 ? 192_000 : length))
            (track.bytes, track.samples) = (bytes, 188)
            segments[index].tracks = [track]
        }
        return TitlePlan(
            basis: .scan, timescale: 48_000, segments: segments, end: 192_000 + length, isProvisional: false)
    }

    /// A run of segments as long as the longest would be centuries in nanoseconds.
    @Test(arguments: [192_000, 1 << 40, 1 << 52, 1 << 60] as [Int64])
    func ratesOfSegmentsThatLastCenturiesAreNumbersAllTheSame(length: Int64) throws {
        let playlists = TitlePlaylists(facts: facts(), plan: plan(length, bytes: 48_000), shape: .renditions)
        let master = try playlists.master()
        let rest = try #require(master.range(of: "BANDWIDTH="))
        let bandwidth = try #require(Int(master[rest.upperBound...].prefix { $0.isNumber }))
        // 48,000 bytes and their boxes in four seconds; runs are measured by the longest segment.
        #expect(bandwidth > 0 && bandwidth < 200_000, "\(bandwidth)")
        if length == 192_000 { #expect(bandwidth >= 96_000) }
        #expect(playlists.media("audio-1")?.contains("#EXT-X-ENDLIST") == true)
    }

    @Test func bytesBeyondAllNumbersAreBounded() throws {
        let master = try TitlePlaylists(
            facts: facts(), plan: plan(192_000, bytes: .max / 4), shape: .renditions
        ).master()
        let rest = try #require(master.range(of: "BANDWIDTH="))
        #expect(Int(master[rest.upperBound...].prefix { $0.isNumber }).map { $0 > 0 } == true)
    }
}
