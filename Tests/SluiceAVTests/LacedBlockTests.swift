import Foundation
import SluiceCore
import Testing

@testable import SluiceAV

/// Blocks that hold several frames, under durations that no clock holds.
@Suite(.enabled(if: Tool.isPresent)) struct LacedBlockTests {
    private static func element(_ id: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        // Sizes of eight bytes hold everything.
        id + [0x01] + (0..<7).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) } + payload
    }

    /// Blocks of four AC-3 frames of one size each.
    private static func film(frames: [[UInt8]], defaultDuration: [UInt8]) -> [UInt8] {
        let head = element([0x1A, 0x45, 0xDF, 0xA3], element([0x42, 0x82], Array("matroska".utf8)))
        let info = element([0x15, 0x49, 0xA9, 0x66], element([0x2A, 0xD7, 0xB1], [0x0F, 0x42, 0x40]))
        let sound = element([0xE1], element([0xB5], [0x47, 0x3B, 0x80, 0x00]) + element([0x9F], [1]))
        let track = element(
            [0xAE],
            element([0xD7], [1]) + element([0x73, 0xC5], [1]) + element([0x83], [2]) + element([0x9C], [1])
                + element([0x86], Array("A_AC3".utf8)) + element([0x23, 0xE3, 0x83], defaultDuration) + sound)
        var clusters: [UInt8] = []
        for (number, start) in stride(from: 0, to: frames.count - 3, by: 4).enumerated() {
            let time = number * 128
            var block: [UInt8] = [0x81, 0, 0, 0x84, 3]
            for frame in frames[start..<(start + 4)] { block += frame }
            let stamp = element([0xE7], [UInt8(time >> 8 & 0xFF), UInt8(time & 0xFF)])
            clusters += element([0x1F, 0x43, 0xB6, 0x75], stamp + element([0xA3], block))
        }
        return head + element([0x18, 0x53, 0x80, 0x67], info + element([0x16, 0x54, 0xAE, 0x6B], track) + clusters)
    }

    /// Four times 2^64 - 1 ns is more than 64 bits: the frames come all the same, without durations made up of it.
    @Test(arguments: [[UInt8](repeating: 0xFF, count: 8), [0x01, 0xE8, 0x48, 0x00]])
    func aDefaultDurationBeyondAllClocksLosesNoFrame(duration: [UInt8]) throws {
        let path = try Sample.make(
            "laced.ac3",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "sine=f=1000:r=48000:d=2",
                "-c:a", "ac3", "-b:a", "192k", "-ac", "1",
            ])
        let sound = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let frames = stride(from: 0, to: sound.count - 767, by: 768).map { Array(sound[$0..<($0 + 768)]) }
        try #require(frames.count > 40)
        let whole = frames.count / 4 * 4
        var reader = try FormatReader(
            source: MemorySource(Self.film(frames: frames, defaultDuration: duration)), hint: "laced.mkv")
        reader.select([StreamID(0)])
        reader.trustContainer()
        try reader.rewind()
        var found: [[UInt8]] = []
        while let packet = try reader.readPacket() { found.append(packet.bytes) }
        #expect(found.count == whole)
        let isSame = found == Array(frames.prefix(whole))
        #expect(isSame)
    }
}
