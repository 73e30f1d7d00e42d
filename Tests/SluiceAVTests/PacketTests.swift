import SluiceAV
import SluiceCore
import Testing

private func sample(_ bytes: [UInt8] = [1, 2, 3, 4]) -> Packet {
    Packet(
        stream: StreamID(3), timebase: .mpeg, presentationTicks: 90_000, decodeTicks: 45_000, durationTicks: 3_600,
        isKeyframe: true, bytes: bytes)
}

@Test func packetKeepsWhatItWasMadeFrom() {
    let packet = sample()
    #expect(packet.stream == StreamID(3))
    #expect(packet.timebase == .mpeg)
    #expect(packet.presentationTicks == 90_000)
    #expect(packet.decodeTicks == 45_000)
    #expect(packet.durationTicks == 3_600)
    #expect(packet.isKeyframe && !packet.isDiscardable && !packet.isDisposable && !packet.isCorrupt)
    #expect(packet.bytes == [1, 2, 3, 4])
    #expect(packet.byteCount == 4)
    #expect(packet.byteCost == 132)
    #expect(packet.filePosition == nil)
    #expect(packet.presentationTime == Timestamp(seconds: 1))
    #expect(packet.timelinePosition == 500_000_000, "decode time in nanoseconds")
}

@Test func emptyPacketHasNoBytesAndNoTimes() {
    let packet = Packet(
        stream: StreamID(0), timebase: .milliseconds, presentationTicks: nil, decodeTicks: nil, bytes: [])
    #expect(packet.byteCount == 0)
    #expect(packet.bytes == [])
    #expect(packet.presentationTime == nil && packet.decodeTime == nil && packet.timelinePosition == nil)
}

@Test func changingACopyLeavesTheOriginalAlone() {
    let original = sample()
    var copy = original
    copy.setPresentationTicks(nil)
    copy.setDecodeTicks(-9)
    copy.setDurationTicks(7)
    copy.setStream(StreamID(1))
    copy.setKeyframe(false)
    copy.setDisposable(true)
    copy.setSideData(.newExtradata, [9, 9])
    #expect(original.presentationTicks == 90_000 && original.decodeTicks == 45_000 && original.durationTicks == 3_600)
    #expect(original.stream == StreamID(3) && original.isKeyframe && !original.isDisposable)
    #expect(original.newExtradata == nil && original.byteCost == 132)
    #expect(copy.presentationTicks == nil && copy.decodeTicks == -9 && copy.durationTicks == 7)
    #expect(copy.stream == StreamID(1) && !copy.isKeyframe && copy.isDisposable)
    #expect(copy.newExtradata == [9, 9] && copy.byteCost == 134)
    #expect(copy.timelinePosition == -100_000, "-9 / 90000 s")
}

@Test func headerChangesShareThePayloadAndByteChangesDoNot() {
    let original = sample()
    var copy = original
    copy.setPresentationTicks(5)
    let first = original.withUnsafeBytes { $0.baseAddress }
    #expect(copy.withUnsafeBytes { $0.baseAddress } == first)

    copy.withUnsafeMutableBytes { $0[0] = 200 }
    #expect(original.bytes == [1, 2, 3, 4])
    #expect(copy.bytes == [200, 2, 3, 4])
    #expect(copy.withUnsafeBytes { $0.baseAddress } != first)

    copy.replaceBytes([7])
    #expect(copy.bytes == [7] && copy.byteCost == 129)
    #expect(copy.presentationTicks == 5, "a new payload keeps the times")
    #expect(original.bytes == [1, 2, 3, 4])
}

@Test func sideDataIsListedReplacedAndRemovedByKind() {
    var packet = sample()
    packet.setSideData(.webVTTIdentifier, [1])
    packet.setSideData(.skipSamples, [0x40, 8, 0, 0, 16, 0, 0, 0, 0, 0])
    packet.setSideData(.webVTTSettings, [2, 2])
    #expect(packet.sideData.map(\.kind) == [.webVTTIdentifier, .skipSamples, .webVTTSettings])
    #expect(packet.skippedSamples?.start == 0x840)
    #expect(packet.skippedSamples?.end == 16)
    packet.setSideData(.skipSamples, [])
    packet.setSideData(.webVTTIdentifier, [5, 6])
    #expect(
        packet.sideData == [
            SideData(kind: .webVTTSettings, bytes: [2, 2]), SideData(kind: .webVTTIdentifier, bytes: [5, 6]),
        ])
    packet.setSideData(.webVTTSettings, [])
    packet.setSideData(.webVTTIdentifier, [])
    #expect(!packet.hasSideData && packet.byteCost == 132)
}

@Test func rescalingMovesAllTimesToTheOtherClock() {
    var packet = sample()
    packet.rescale(to: .milliseconds)
    #expect(packet.timebase == .milliseconds)
    #expect(packet.presentationTicks == 1_000 && packet.decodeTicks == 500 && packet.durationTicks == 40)
    #expect(packet.timelinePosition == 500_000_000)
}

/// The fast path must agree with exact 128-bit arithmetic, at ordinary and at absurd times.
@Test(arguments: [(1, 1_000), (1, 90_000), (1001, 30_000), (1, 44_100), (1, 705_600_000), (2_147_483_647, 1)])
func timelinePositionIsTheExactTimeInNanoseconds(numerator: Int, denominator: Int) throws {
    let timebase = try #require(Timebase(Int32(numerator), Int32(denominator)))
    for ticks in [0, 1, -1, 7, 12_345_678, -12_345_679, 1 << 33, Int64.max, Int64.min + 1] {
        let packet = Packet(
            stream: StreamID(0), timebase: timebase, presentationTicks: ticks, decodeTicks: nil, bytes: [])
        #expect(packet.timelinePosition == Timestamp(ticks, timebase).nanoseconds)
    }
}

@Test func packetIsByteStorageThatOutlivesItsPacket() {
    func chunk() -> ByteChunk { ByteChunk(sample(Array(0..<100)), 10..<13) }
    #expect([chunk()].joined() == [10, 11, 12])
}

@Test func concurrentCopiesChangeIndependently() async {
    let original = sample(Array(repeating: 5, count: 1_000))
    await withTaskGroup(of: Bool.self) { group in
        for number in 0..<64 {
            group.addTask {
                var copy = original
                copy.setDecodeTicks(Int64(number))
                copy.withUnsafeMutableBytes { $0[0] = UInt8(number) }
                return copy.decodeTicks == Int64(number) && copy.bytes[0] == UInt8(number)
            }
        }
        for await isRight in group { #expect(isRight) }
    }
    #expect(original.bytes[0] == 5 && original.decodeTicks == 45_000)
}
