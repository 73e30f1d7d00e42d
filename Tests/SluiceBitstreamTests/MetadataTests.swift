import Foundation
import TestTools
import Testing

@testable import SluiceBitstream

/// Messages of pictures: colour volume, light levels, dynamic metadata.
@Suite struct MetadataTests {
    /// Bits as their specification lays them out: `value:width` of each field.
    private func bits(_ text: String) -> [UInt8] {
        var writer = BitWriter()
        for field in text.split(separator: " ") {
            let parts = field.split(separator: ":").compactMap { UInt32($0) }
            writer.u(parts[0], Int(parts[1]))
        }
        return writer.bytes
    }

    /// SMPTE ST 2094-40 of one window, with nine percentiles and a curve of nine anchors.
    private func hdr10Plus(percentage: Int = 99, windows: Int = 1) -> [UInt8] {
        var text = "181:8 60:16 1:16 4:8 1:8 \(windows):2 400:27 0:1 "
        text += "10000:17 20000:17 30000:17 1234:17 9:4 "
        for place in 0..<9 { text += "\(place == 8 ? percentage : place):7 500:17 " }
        text += "0:10 0:1 1:1 100:12 200:12 9:4 "
        for place in 0..<9 { text += "\(place * 100):10 " }
        return bits(text + "0:1")
    }

    /// T/UWA 005.1 with a curve and a spline.
    private var vivid: [UInt8] {
        bits(
            "38:8 4:16 5:16 1:8 0:12 1000:12 500:12 4000:12 1:1 0:1 "
                + "2048:12 1:1 8000:14 20:6 500:10 500:10 10:6 1:2 1:2 4:4 "
                + "0:3 0:7 1:1 0:1 0:2 128:8 1000:12 100:10 100:10 128:8 0:1")
    }

    @Test func wholePayloadsCount() {
        #expect(RegisteredMetadata(hdr10Plus()) == .hdr10Plus)
        #expect(RegisteredMetadata(vivid) == .hdrVivid)
        // Padding is no content.
        #expect(RegisteredMetadata(hdr10Plus() + [0, 0]) == .hdr10Plus)
    }

    @Test func lookalikesDoNot() {
        let (plus, vivid) = (hdr10Plus(), vivid)
        #expect(RegisteredMetadata([]) == nil)
        for count in 0..<plus.count { #expect(RegisteredMetadata(Array(plus.prefix(count))) == nil, "\(count)") }
        for count in 0..<vivid.count { #expect(RegisteredMetadata(Array(vivid.prefix(count))) == nil, "\(count)") }
        #expect(RegisteredMetadata(plus + [1]) == nil && RegisteredMetadata(vivid + [0, 0x40]) == nil)
        #expect(RegisteredMetadata(hdr10Plus(percentage: 101)) == nil)
        #expect(RegisteredMetadata(hdr10Plus(windows: 0)) == nil)
        var other = vivid
        other[5] = 8
        #expect(RegisteredMetadata(other) == nil)
        // Captions are registered by another provider.
        #expect(RegisteredMetadata([0xB5, 0x00, 0x31] + Array(plus.dropFirst(3))) == nil)
    }

    @Test func messagesAreTakenApart() {
        let mastering: [UInt8] = [
            0x33, 0xC2, 0x86, 0xC4, 0x1D, 0x4C, 0x0B, 0xB8, 0x84, 0xD0, 0x3E, 0x80, 0x3D, 0x13, 0x40, 0x42, 0x00, 0x98,
            0x96, 0x80, 0x00, 0x00, 0x00, 0x01,
        ]
        var unit: [UInt8] = [0x4E, 0x01, 137, 24]
        unit += EmulationPrevention.inserted(into: mastering)
        unit += [144, 4, 0x03, 0xE8, 0x01, 0x90, 147, 1, 18, 0x80]
        let list = unit.withUnsafeBytes { SEIMessage.list($0, headerLength: 2) }
        #expect(list.map(\.type) == [137, 144, 147])
        #expect(
            list[0].masteringDisplay
                == MasteringDisplay(
                    primaries: [13_250, 34_500, 7_500, 3_000, 34_000, 16_000], whitePoint: [15_635, 16_450],
                    maximumLuminance: 10_000_000, minimumLuminance: 1))
        #expect(list[1].contentLight == ContentLightLevel(maximumContent: 1_000, maximumFrameAverage: 400))
        #expect(list[2].preferredTransfer == 18)
        #expect(list[0].contentLight == nil && list[1].masteringDisplay == nil && list[2].registered == nil)
        // One that is cut off ends the list.
        let cut = Array(unit.dropLast(4))
        #expect(cut.withUnsafeBytes { SEIMessage.list($0, headerLength: 2) }.map(\.type) == [137, 144])
        var many: [UInt8] = [0x4E, 0x01]
        for _ in 0..<200 { many += [5, 0] }
        #expect(many.withUnsafeBytes { SEIMessage.list($0, headerLength: 2) }.count == SEIMessage.limit)
    }

    /// ffmpeg's decoder reads what was built here as what it is called here.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe")))
    func decodersAgree() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "metadata-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let plain = folder.appending(path: "plain.hevc").path()
        try ExternalTool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=128x72:r=25:d=0.2", "-pix_fmt", "yuv420p10le", "-c:v",
                "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none", plain,
            ])
        let stream = [UInt8](try Data(contentsOf: URL(filePath: plain)))
        for (payload, name) in [(hdr10Plus(), "SMPTE2094-40"), (vivid, "Vivid")] {
            var message: [UInt8] = [4, UInt8(payload.count)]
            message += payload
            message.append(0x80)
            var unit: [UInt8] = [0, 0, 1, 0x4E, 0x01]
            unit += EmulationPrevention.inserted(into: message)
            let slice = try #require(
                stream.withUnsafeBytes { bytes in
                    AnnexBUnits(bytes).first { HEVCUnitType(header: bytes[$0.lowerBound]).isSlice }
                })
            let marked = folder.appending(path: "\(name).hevc")
            var whole = Array(stream[..<(slice.lowerBound - 3)])
            whole += unit
            whole += stream[(slice.lowerBound - 3)...]
            try Data(whole).write(to: marked)
            let frames = try ExternalTool.text("ffprobe", ["-v", "error", "-show_frames", marked.path()])
            #expect(frames.contains(name), "\(name)")
        }
    }
}
