import SluiceBitstream
import SluiceCore

/// RPUs of any bytes are read or refused; what was read is written to the same bytes, and so is what it converts to.
enum RPUProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        if let record = try? DolbyVisionConfiguration(bytes) {
            guard (try? DolbyVisionConfiguration(record.bytes)) == record else { return "\(record) does not read back" }
        }
        if let broken = rewriting(bytes) { return broken }
        var found = (try? DolbyVisionRPU.list(bytes)) ?? []
        if let rpu = try? DolbyVisionRPU(unit: bytes) { found.append(rpu) }
        if let rpu = try? DolbyVisionRPU(payload: bytes) { found.append(rpu) }
        if let rpu = try? DolbyVisionRPU(message: bytes) { found.append(rpu) }
        for rpu in found.prefix(16) { if let broken = forms(of: rpu) { return broken } }
        // Most bytes have no fitting checksum; with one the fields behind it are reached.
        let sealed = [0x19] + bytes + checksum(bytes) + [0x80]
        guard let rpu = try? DolbyVisionRPU(payload: sealed) else { return nil }
        return rpu.payload == sealed ? forms(of: rpu) : "an RPU of \(sealed.count) bytes comes out as another"
    }

    private static func forms(of rpu: DolbyVisionRPU) -> String? {
        guard (try? DolbyVisionRPU(payload: rpu.payload)) == rpu else { return "the payload reads as another" }
        guard (try? DolbyVisionRPU(unit: rpu.unit)) == rpu else { return "the unit reads as another" }
        guard (try? DolbyVisionRPU(message: rpu.message)) == rpu else { return "the message reads as another" }
        guard (try? DolbyVisionRPU.list([0, 0, 1] + rpu.unit)) == [rpu] else { return "the list reads as another" }
        for conversion in DolbyVisionConversion.allCases {
            guard let converted = try? rpu.converted(to: conversion) else { continue }
            guard (try? DolbyVisionRPU(unit: converted.unit)) == converted else {
                return "\(conversion) of profile \(rpu.profile?.description ?? "-") reads as another"
            }
            let expected: Int? =
                switch conversion {
                case .lossless: rpu.profile?.number
                case .minimalEnhancement: 7
                default: 8
                }
            if converted.profile?.number != expected { return "\(conversion) makes profile \(converted)" }
        }
        return nil
    }

    /// A rewritten sample has sound framing and no enhancement layer.
    private static func rewriting(_ bytes: [UInt8]) -> String? {
        for framing in [NALFraming.annexB, .lengthPrefixed(4)] {
            var rewriter = DolbyVisionSampleRewriter(to: .profile81)
            guard let sample = rewriter.rewrite(ByteChunk(bytes), framing: framing)?.joined() else { continue }
            let types = sample.withUnsafeBytes { buffer in
                framing.units(of: buffer).map { HEVCUnitType(header: buffer[$0.lowerBound]) }
            }
            if types.isEmpty || types.contains(.dolbyEnhancement) { return "\(framing): units \(types) remain" }
            if framing != .annexB, !sample.withUnsafeBytes({ LengthPrefixedUnits.fills($0) }) {
                return "units with lengths do not fill the sample"
            }
        }
        return nil
    }

    /// CRC-32/MPEG-2, bit by bit.
    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var value = UInt32.max
        for byte in bytes {
            value ^= UInt32(byte) << 24
            for _ in 0..<8 { value = value >> 31 == 1 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
        }
        return ([24, 16, 8, 0] as [UInt32]).map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
