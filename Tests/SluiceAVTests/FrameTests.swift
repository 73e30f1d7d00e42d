import SluiceAV
import SluiceCore
import Testing

@Test func pictureHasThePlanesOfItsLayout() throws {
    let frame = try Frame(
        stream: StreamID(0), timebase: .milliseconds, presentationTicks: 40, width: 321, height: 181,
        pixelFormat: "yuv420p")
    #expect(frame.isVideo && frame.width == 321 && frame.height == 181 && frame.pixelFormat == "yuv420p")
    #expect(frame.planeCount == 3)
    #expect((0..<4).map { frame.rowCount(ofPlane: $0) } == [181, 91, 91, 0], "4:2:0 halves odd heights upward")
    #expect(frame.bytesPerRow(ofPlane: 0) >= 321 && frame.bytesPerRow(ofPlane: 1) >= 161)
    #expect(frame.byteCost >= 321 * 181 + 2 * 161 * 91)
    #expect(frame.timelinePosition == 40_000_000)
    #expect(frame.withUnsafePlane(7) { $0.count } == 0)
}

@Test func writingAPlaneOfACopyLeavesTheOriginalAlone() throws {
    let original = try Frame(
        stream: StreamID(0), timebase: .milliseconds, presentationTicks: 1, width: 16, height: 16, pixelFormat: "gray")
    var copy = original
    copy.setPresentationTicks(9)
    copy.setInterlaced(true, topFieldFirst: true)
    copy.withUnsafeMutablePlane(0) { $0[5] = 77 }
    #expect(original.withUnsafePlane(0) { $0[5] } == 0)
    #expect(copy.withUnsafePlane(0) { $0[5] } == 77)
    #expect(original.presentationTicks == 1 && copy.presentationTicks == 9 && copy.timelinePosition == 9_000_000)
    #expect(!original.isInterlaced && copy.isInterlaced && copy.isTopFieldFirst)
}

@Test func planarSoundHasAPlaneAChannel() throws {
    let frame = try Frame(
        stream: StreamID(1), timebase: Timebase(hertz: 48_000), presentationTicks: 48_000, sampleCount: 1_024,
        sampleRate: 48_000, channels: 6, sampleFormat: "fltp")
    #expect(!frame.isVideo && frame.planeCount == 6 && frame.channelLayout == "5.1")
    #expect(frame.sampleCount == 1_024 && frame.sampleRate == 48_000 && frame.sampleFormat == "fltp")
    #expect(frame.withUnsafePlane(5) { $0.count } >= 4_096)
    #expect(frame.timelinePosition == 1_000_000_000)
}

@Test func impossibleFramesAreTypedFailures() {
    #expect(throws: NodeFailure.self) {
        try Frame(
            stream: StreamID(0), timebase: .mpeg, presentationTicks: nil, width: 2, height: 2, pixelFormat: "nope")
    }
    do {
        _ = try Frame(
            stream: StreamID(0), timebase: .mpeg, presentationTicks: nil, width: 1 << 20, height: 1 << 20,
            pixelFormat: "gray")
        Issue.record("a terapixel picture was allocated")
    } catch { #expect(error.code == .limitExceeded) }
}
