import SluiceCore
import Testing

@testable import SluiceBitstream

@Suite struct DolbyVisionRPUTests {
    /// The check value of the catalogue of CRCs.
    @Test func checksumIsThatOfTheCatalogue() {
        #expect(MPEG2Checksum.of(Array("123456789".utf8)) == 0x0376_E6E7)
        #expect(MPEG2Checksum.of([]) == 0xFFFF_FFFF)
    }

    @Test(arguments: SampleRPUs.all.map(\.name))
    func whatIsWrittenReadsTheSame(name: String) throws {
        let rpu = try #require(SampleRPUs.all.first { $0.name == name }?.rpu)
        #expect(try DolbyVisionRPU(payload: rpu.payload) == rpu)
        #expect(try DolbyVisionRPU(unit: rpu.unit) == rpu)
        #expect(try DolbyVisionRPU(message: rpu.message) == rpu)
        #expect(try DolbyVisionRPU(message: [0xB5] + rpu.message + [0x80, 0]) == rpu)
        let again = try DolbyVisionRPU(payload: rpu.payload)
        #expect(again.payload == rpu.payload && again.unit == rpu.unit && again.message == rpu.message)
        let start: [UInt8] = [0, 0, 0, 1]
        let bare = EmulationPrevention.inserted(into: rpu.payload)
        #expect(try DolbyVisionRPU.list(start + bare + start + rpu.unit) == [rpu, rpu])
    }

    @Test func unitsHoldNoStartCode() {
        for (name, rpu) in SampleRPUs.all {
            let unit = rpu.unit
            for index in 2..<unit.count where unit[index - 2] == 0 && unit[index - 1] == 0 {
                #expect(unit[index] >= 3, "\(name) at \(index)")
            }
            #expect(unit.starts(with: [0x7C, 0x01, 0x19]) && unit.last == 0x80)
        }
        let plain = hex("0000 0000 0001 0000 03 0000 04 0000")
        let escaped = hex("0000 03 0000 03 0001 0000 03 03 0000 04 0000 03")
        #expect(EmulationPrevention.inserted(into: plain) == escaped)
        #expect(escaped.withUnsafeBytes { EmulationPrevention.removed(from: $0) } == plain)
    }

    /// A rewritten profile 8.1 head, bit by bit: the bytes that every generator starts with.
    @Test func headIsThatOfGenerators() {
        let head = hex("19 08090840 6136506F 003FF801 FFC00FFF D0000008 00000680")
        #expect(SampleRPUs.profile81().payload.starts(with: head))
    }

    @Test func profileFollowsFromTheContent() {
        let profiles = Dictionary(uniqueKeysWithValues: SampleRPUs.all.map { ($0.name, $0.rpu.profile) })
        #expect(profiles["full"] == .profile7(.full) && profiles["minimal"] == .profile7(.minimal))
        #expect(profiles["profile5"] == .profile5 && profiles["profile81"] == .profile8(.hdr10))
        #expect(profiles["profile84"] == .profile8(.hlg) && profiles["previous"] == .profile8(nil))
        var rpu = SampleRPUs.full()
        rpu.header.outputDepth = 14
        #expect(rpu.profile == .profile4)
        rpu = SampleRPUs.profile81()
        rpu.header.baseDepth = 8
        #expect(rpu.profile == .profile9)
        rpu.header.profile = 2
        #expect(rpu.profile == nil)
        let named: [DolbyVisionProfile] = [.profile7(.full), .profile8(.hlg), .profile8(nil), .profile5]
        #expect(named.map(\.description) == ["7 FEL", "8.4", "8", "5"])
    }

    @Test func levelsAndFieldsCanBeLookedAt() throws {
        let rpu = SampleRPUs.everyLevel()
        #expect(rpu.levels == [1, 5, 6, 2, 4, 255, 3, 8, 8, 8, 8, 8, 9, 9, 10, 10, 11, 254, 15, 253])
        #expect(rpu.isSceneRefresh)
        let read = try DolbyVisionRPU(payload: rpu.payload)
        #expect(read.display?.blocks.first?["max_pq"] == 2081)
        #expect(read.display?.extendedBlocks?.last?.content == .bytes([]))
        #expect(RPUMetadataLayout.of(level: 8).map(\.length) == [10, 12, 13, 19, 25])
    }

    /// Sizes around the ends of the groups of an EMDF size.
    @Test func containersHoldAnySize() throws {
        for size in [0, 1, 255, 256, 257, 511, 512, 65_791, 65_792, 70_000] {
            let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            #expect(try EMDFContainer.payload(of: EMDFContainer.message(of: payload)) == payload, "\(size) bytes")
        }
    }

    @Test func refusalsSayWhatAndWhere() throws {
        func message(_ body: () throws -> DolbyVisionRPU) -> String {
            do {
                _ = try body()
                return "none"
            } catch { return (error as? NodeFailure).map { "\($0.code): \($0.message)" } ?? "other" }
        }
        #expect(
            message { try DolbyVisionRPU(unit: [0x42, 1, 2]) }
                == "malformed-input: a unit of 3 bytes that starts 420102; expected an RPU, 7C01 19")
        #expect(
            message { try DolbyVisionRPU(payload: []) }
                == "malformed-input: an RPU of 0 bytes that starts nowhere; expected 19")
        #expect(
            message { try DolbyVisionRPU(payload: SampleRPUs.sealed([0x0C])) }
                == "malformed-input: RPU, bit 0: rpu_type is 3; expected 2")
        var broken = SampleRPUs.full().payload
        broken[20] ^= 4
        #expect(message { try DolbyVisionRPU(payload: broken) }.contains("checksum"))
        #expect(message { try DolbyVisionRPU(payload: SampleRPUs.full().payload + [1]) }.contains("without an end"))
        #expect(try DolbyVisionRPU(payload: SampleRPUs.full().payload + [0, 0]) == SampleRPUs.full())
        #expect(message { try DolbyVisionRPU(message: hex("B5 003C 0001 04")) }.contains("provider code"))
        #expect(message { try DolbyVisionRPU(message: SampleRPUs.full().message + [1]) }.contains("trailing bits"))
        #expect(throws: NodeFailure.self) { try DolbyVisionRPU.list([]) }
        #expect(throws: NodeFailure.self) { try DolbyVisionRPU.list(hex("000001 4201")) }
        var many = SampleRPUs.profile81()
        many.display?.blocks = Array(repeating: RPUMetadataBlock(level: 77, bytes: [1]), count: 33)
        #expect(message { try DolbyVisionRPU(payload: many.payload) }.contains("is 33; expected 0 to 32"))
        many.display?.blocks = [RPUMetadataBlock(level: 9, [0])].compactMap(\.self)
        #expect(message { try DolbyVisionRPU(payload: many.payload) }.contains("level 9 in the list of version 2.9"))
        many.display?.blocks = [RPUMetadataBlock(level: 6, bytes: [1, 2])]
        #expect(message { try DolbyVisionRPU(payload: many.payload) }.contains("level 6 of 2 bytes; expected 8"))
    }
}
