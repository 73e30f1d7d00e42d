import SluiceCore
import Testing

@testable import SluiceBitstream

/// Damaged RPUs are refused, or read as what their bits say; they never trap.
@Suite struct DolbyVisionDamageTests {
    @Test func noCutAndNoFlippedBitPassesTheChecksum() {
        for (name, rpu) in SampleRPUs.all {
            for form in [rpu.payload, rpu.unit] {
                for length in 0..<form.count {
                    #expect(Self.read(Array(form.prefix(length))) == nil, "\(name) cut at \(length)")
                }
            }
            let payload = rpu.payload
            for bit in 0..<(payload.count * 8) {
                var damaged = payload
                damaged[bit / 8] ^= 0x80 >> UInt8(bit % 8)
                #expect(Self.read(damaged) == nil, "\(name), bit \(bit)")
            }
        }
    }

    /// With a checksum that fits, so that the damage reaches the fields.
    @Test func damagedFieldsAreRefusedOrKept() throws {
        var kept = 0
        for (name, rpu) in SampleRPUs.all {
            let content = SampleRPUs.content(rpu)
            #expect(Self.read(SampleRPUs.sealed(content)) == rpu)
            for length in 0..<content.count {
                Self.check(Array(content.prefix(length)), "\(name) cut at \(length)", &kept)
            }
            for bit in 0..<(content.count * 8) {
                var damaged = content
                damaged[bit / 8] ^= 0x80 >> UInt8(bit % 8)
                Self.check(damaged, "\(name), bit \(bit)", &kept)
            }
        }
        #expect(kept > 1_000)
    }

    @Test func damagedMessagesAreRefused() {
        for (name, rpu) in SampleRPUs.all {
            let message = rpu.message
            for length in 0..<message.count {
                #expect(throws: NodeFailure.self, "\(name) cut at \(length)") {
                    try DolbyVisionRPU(message: Array(message.prefix(length)))
                }
            }
            // The padding of the last byte may be anything.
            for byte in 0..<(message.count - 1) {
                var damaged = message
                damaged[byte] ^= 0x10
                #expect(throws: NodeFailure.self, "\(name), byte \(byte)") { try DolbyVisionRPU(message: damaged) }
            }
        }
    }

    private static func read(_ bytes: [UInt8]) -> DolbyVisionRPU? {
        (try? DolbyVisionRPU(payload: bytes)) ?? (try? DolbyVisionRPU(unit: bytes))
    }

    private static func check(_ content: [UInt8], _ what: String, _ kept: inout Int) {
        let payload = SampleRPUs.sealed(content)
        guard let rpu = read(payload) else { return }
        kept += 1
        if rpu.payload != payload { Issue.record("\(what): other bytes come out") }
        // One of the conversions for each, in turn: all of them take half a minute.
        let conversion = DolbyVisionConversion.allCases[kept % DolbyVisionConversion.allCases.count]
        guard let converted = try? rpu.converted(to: conversion) else { return }
        if read(converted.payload) != converted { Issue.record("\(what): \(conversion)") }
    }
}
