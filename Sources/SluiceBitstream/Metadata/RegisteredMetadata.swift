/// Metadata that ITU-T T.35 registers: messages of type 4 in H.264 and HEVC, metadata units of type 4 in AV1.
///
/// Only whole, well-formed payloads count: the same bytes by chance inside a picture are none.
public enum RegisteredMetadata: String, Sendable, Hashable, CaseIterable {
    /// SMPTE ST 2094-40, application 4.
    case hdr10Plus = "hdr10plus"
    /// CUVA T/UWA 005.1.
    case hdrVivid = "hdrvivid"

    /// - Parameter payload: from the country code on.
    /// - Note: behaviours, features 130 and 131.
    public init?(_ payload: [UInt8]) {
        if payload.starts(with: [0xB5, 0x00, 0x3C, 0x00, 0x01, 0x04]) {
            guard Self.isHDR10Plus(payload) else { return nil }
            self = .hdr10Plus
        } else if payload.starts(with: [0x26, 0x00, 0x04, 0x00, 0x05]) {
            guard Self.isHDRVivid(payload) else { return nil }
            self = .hdrVivid
        } else {
            return nil
        }
    }

    /// Whether every field is there and in range, and nothing but zeros follows.
    ///
    /// - Note: SMPTE ST 2094-40:2020, Annex A; CTA-861.4.
    private static func isHDR10Plus(_ payload: [UInt8]) -> Bool {
        payload.withUnsafeBytes { bytes in
            var bits = BitReader(bytes)
            bits.skip(48)
            // application_version
            guard bits.u(8) <= 1 else { return false }
            let windows = Int(bits.u(2))
            guard (1...3).contains(windows) else { return false }
            // A corner, an opposite one, a centre, an angle, three axes and how it overlaps.
            for _ in 1..<windows { bits.skip(153) }
            guard bits.u(27) <= 10_000, skipPeaks(&bits) else { return false }
            for _ in 0..<windows {
                for _ in 0..<4 where bits.u(17) > 100_000 { return false }
                for _ in 0..<bits.u(4) {
                    guard bits.u(7) <= 100, bits.u(17) <= 100_000 else { return false }
                }
                guard bits.u(10) <= 1_000 else { return false }
            }
            guard skipPeaks(&bits) else { return false }
            for _ in 0..<windows {
                if bits.flag() {
                    bits.skip(24)
                    bits.skip(Int(bits.u(4)) * 10)
                }
                if bits.flag() { bits.skip(6) }
            }
            return isFinished(bits, of: bytes)
        }
    }

    /// The actual peak luminances of a display, where they are given: 2 to 25 rows and columns of 4 bits.
    private static func skipPeaks(_ bits: inout BitReader) -> Bool {
        guard bits.flag() else { return true }
        let (rows, columns) = (Int(bits.u(5)), Int(bits.u(5)))
        guard (2...25).contains(rows), (2...25).contains(columns) else { return false }
        bits.skip(rows * columns * 4)
        return true
    }

    /// Whether every field is there, and nothing but zeros follows.
    ///
    /// - Note: T/UWA 005.1-2022 §7.
    private static func isHDRVivid(_ payload: [UInt8]) -> Bool {
        payload.withUnsafeBytes { bytes in
            var bits = BitReader(bytes)
            bits.skip(40)
            // system_start_code
            guard (1...7).contains(bits.u(8)) else { return false }
            bits.skip(48)
            if bits.flag() {
                for _ in 0...bits.u(1) { skipToneMapping(&bits) }
            }
            if bits.flag() { bits.skip(Int(bits.u(3)) * 8) }
            return isFinished(bits, of: bytes)
        }
    }

    private static func skipToneMapping(_ bits: inout BitReader) {
        bits.skip(12)
        if bits.flag() { bits.skip(14 + 6 + 10 + 10 + 6 + 2 + 2 + 4 + 3 + 7) }
        guard bits.flag() else { return }
        for _ in 0...bits.u(1) {
            let mode = bits.u(2)
            if mode == 0 || mode == 2 { bits.skip(8) }
            bits.skip(12 + 10 + 10 + 8)
        }
    }

    private static func isFinished(_ bits: BitReader, of bytes: UnsafeRawBufferPointer) -> Bool {
        guard !bits.overran else { return false }
        var rest = bits
        var left = bytes.count * 8 - rest.position
        while left > 0 {
            guard rest.u(min(left, 32)) == 0 else { return false }
            left -= 32
        }
        return true
    }
}
