import SluiceBitstream
import Testing

@Suite struct CodecStringTests {
    private func hevcRecord(_ head: String, constraints: String, level: UInt8) -> [UInt8] {
        hex(head) + hex(constraints) + [level] + [UInt8](repeating: 0, count: 10)
    }

    /// Behaviours CR-02, with the upper-case digits that decision D11 chose.
    @Test func hevcVectors() {
        #expect(
            CodecString.hevc(hevcRecord("01 01 60000000", constraints: "900000000000", level: 0x5D))
                == "hvc1.1.6.L93.90")
        #expect(
            CodecString.hevc(hevcRecord("01 02 20000000", constraints: "b00000000000", level: 0x99))
                == "hvc1.2.4.L153.B0")
        #expect(
            CodecString.hevc(hevcRecord("01 02 20000000", constraints: "000000000000", level: 120)) == "hvc1.2.4.L120")
        #expect(
            CodecString.hevc(hevcRecord("01 22 20000000", constraints: "000000000000", level: 120)) == "hvc1.2.4.H120")
        #expect(
            CodecString.hevc(hevcRecord("01 41 60000000", constraints: "000000000000", level: 93)) == "hvc1.A1.6.L93")
        #expect(
            CodecString.hevc(hevcRecord("01 01 60000000", constraints: "904000000000", level: 93))
                == "hvc1.1.6.L93.90.40")
        #expect(
            CodecString.hevc(hevcRecord("01 01 60000001", constraints: "900000000000", level: 93))
                == "hvc1.1.80000006.L93.90")
        #expect(
            CodecString.hevc(hevcRecord("01 02 20000000", constraints: "b00000000000", level: 0x99), entry: "dvh1")
                == "dvh1.2.4.L153.B0")
        #expect(CodecString.hevc([]) == "hvc1.2.4.L150")
        #expect(CodecString.hevc([0, 0, 0, 1, 0x40]) == "hvc1.2.4.L150")
    }

    /// Behaviours CR-05.
    @Test func avcTakesAllThreeBytes() {
        #expect(CodecString.avc([1, 0x64, 0, 0x28]) == "avc1.640028")
        #expect(CodecString.avc([1, 0x42, 0xE0, 0x1F, 0xFF]) == "avc1.42E01F")
        #expect(CodecString.avc([]) == "avc1.640028")
    }

    /// AV1-ISOBMFF §5: the example `av01.0.04M.10.0.112.09.16.09.0`, and BT.709 where nothing is stated.
    @Test func av1PrintsAllFields() {
        let hdr = ColorDescription(primaries: 9, transfer: 16, matrix: 9)
        #expect(CodecString.av1([0x81, 0x04, 0x4E, 0], color: hdr) == "av01.0.04M.10.0.112.09.16.09.0")
        #expect(CodecString.av1([0x81, 0x08, 0x0C, 0]) == "av01.0.08M.08.0.110.01.01.01.0")
        #expect(CodecString.av1([0x81, 0x48, 0xE0, 0]) == "av01.2.08H.12.0.000.01.01.01.0")
        // Twelve bits exist in profile 2 only (behaviours MU-22).
        #expect(CodecString.av1([0x81, 0x08, 0x6C, 0]).hasPrefix("av01.0.08M.10."))
        #expect(CodecString.av1([0x01, 0x08, 0x0C, 0]) == "av01.0.08M.08")
    }

    /// Behaviours CR-20, RP-35.
    @Test func audioVectors() {
        #expect(CodecString.aac(hex("1190")) == "mp4a.40.2")
        #expect(CodecString.aac(hex("2B920800")) == "mp4a.40.5")
        #expect(CodecString.aac(hex("EB8A0800")) == "mp4a.40.29")
        #expect(CodecString.aac([]) == "mp4a.40.2")
        #expect(CodecString.vp9([0, 31, 0x82, 1, 1, 1, 0, 0]) == "vp09.00.31.08.01.01.01.01.00")
    }
}
