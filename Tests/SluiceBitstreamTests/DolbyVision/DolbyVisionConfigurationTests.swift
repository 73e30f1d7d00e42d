import SluiceBitstream
import SluiceCore
import Testing

@Suite struct DolbyVisionConfigurationTests {
    /// Records of real files: a phone's 8.4, a disc's 7.6, an AV1 10.0 of version 2.1.
    @Test func recordsReadAndWriteTheSame() throws {
        let zeros = [UInt8](repeating: 0, count: 19)
        let phone = try DolbyVisionConfiguration(hex("0100 1015 40") + zeros)
        #expect((phone.profile, phone.level, phone.compatibility) == (8, 2, 4))
        #expect(phone.hasMetadata && !phone.hasEnhancementLayer && phone.hasBaseLayer)
        #expect(phone.boxType == "dvvC" && phone == DolbyVisionConfiguration(profile: 8, level: 2, compatibility: 4))
        let disc = try DolbyVisionConfiguration(hex("0100 0E26 60") + zeros)
        #expect((disc.profile, disc.level, disc.compatibility) == (7, 4, 6))
        #expect(disc.hasMetadata && disc.hasEnhancementLayer && !disc.hasBaseLayer && disc.boxType == "dvcC")
        let late = try DolbyVisionConfiguration(hex("0201 143D 00") + zeros)
        #expect((late.majorVersion, late.minorVersion, late.profile, late.level) == (2, 1, 10, 7))
        for record in ["0100 1015 40", "0100 0E26 60", "0201 143D 00", "0100 297F F8"] {
            #expect(try DolbyVisionConfiguration(hex(record) + zeros).bytes == hex(record) + zeros)
        }
        #expect(DolbyVisionConfiguration(profile: 20, level: 1, compatibility: 0).boxType == "dvwC")
        #expect(CodecString.dolbyVision(phone) == "dvh1.08.02")
        #expect(CodecString.dolbyVision(late, entry: "dav1") == "dav1.10.07")
    }

    @Test func shortAndStrangeRecords() throws {
        #expect(try DolbyVisionConfiguration(hex("0100 0A25")).compatibility == 0)
        #expect(throws: NodeFailure.self) { try DolbyVisionConfiguration(hex("0100 0A")) }
        #expect(throws: NodeFailure.self) { try DolbyVisionConfiguration(hex("0300 0A25 00")) }
        var record = DolbyVisionConfiguration(profile: 900, level: -1, compatibility: 16)
        record.compression = 9
        #expect(Array(record.bytes.prefix(5)) == hex("0100 FE05 FC"))
    }

    @Test func levelIsTheLowestThatAllowsTheStream() {
        func level(_ width: Int, _ height: Int, _ rate: Int32, _ scale: Int32 = 1) -> Int? {
            DolbyVisionConfiguration.level(width: width, height: height, period: Timebase(scale, rate))
        }
        #expect(level(1280, 720, 24_000, 1001) == 1)
        #expect(level(1280, 720, 30) == 2)
        #expect(level(1920, 1080, 24_000, 1001) == 3)
        #expect(level(1920, 1080, 25) == 4)
        #expect(level(1920, 1080, 60) == 5)
        #expect(level(3840, 2160, 24_000, 1001) == 6)
        #expect(level(3840, 2160, 25) == 7)
        #expect(level(3840, 2160, 50) == 9)
        #expect(level(3840, 2160, 120) == 10)
        #expect(level(7680, 1080, 120) == 11)
        #expect(level(7680, 4320, 60) == 12)
        #expect(level(7680, 4320, 120) == 13)
        #expect(level(7680, 4320, 121) == nil && level(8192, 16, 1) == nil && level(0, 16, 1) == nil)
        #expect(level(1 << 40, 1 << 40, 1) == nil && level(7680, .max, 1) == nil)
        #expect(level(7680, 4320, .max, 1) == nil && level(7680, 4320, 1, .max) == 11)
        // Unknown rates count as 25.
        #expect(DolbyVisionConfiguration.level(width: 3840, height: 1600, period: nil) == 6)
    }
}
