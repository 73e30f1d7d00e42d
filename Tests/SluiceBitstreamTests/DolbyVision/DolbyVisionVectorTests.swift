import Foundation
import SluiceCore
import TestTools
import Testing

@testable import SluiceBitstream

/// RPUs that encoders made, where they are present.
enum DolbyVisionVectors {
    static let isPresent = SharedMaterial.file("media/hdr/dovi_fel_orig.bin") != nil

    static func bytes(_ name: String) throws -> [UInt8] {
        let path = try #require(SharedMaterial.file("media/hdr/\(name)"), "\(name) is missing")
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// The NAL units of a file of RPUs, without start codes.
    static func units(_ name: String) throws -> [[UInt8]] {
        let file = try bytes(name)
        return file.withUnsafeBytes { AnnexBUnits($0).map { Array(file[$0]) } }
    }

    /// RPU units of a file with lengths, found by their first bytes.
    static func embedded(_ name: String) throws -> [[UInt8]] {
        let file = try bytes(name)
        return file.ranges(of: [0x7C, 0x01, 0x19, 0x08]).compactMap { range in
            let start = range.lowerBound
            guard start >= 4 else { return nil }
            let length = file[(start - 4)..<start].reduce(0) { $0 << 8 | Int($1) }
            return length <= file.count - start ? Array(file[start..<(start + length)]) : nil
        }
    }
}

@Suite(.enabled(if: DolbyVisionVectors.isPresent)) struct DolbyVisionVectorTests {
    /// Files of RPUs, and what they are.
    static let files: [(String, Int, DolbyVisionProfile)] = [
        ("dovi_data_before_crc32.bin", 1, .profile7(.full)), ("dovi_empty_dmv1_blocks.bin", 1, .profile5),
        ("dovi_fel_orig.bin", 1, .profile7(.full)), ("dovi_mel_orig.bin", 1, .profile7(.minimal)),
        ("dovi_p84-01-ref.bin", 1, .profile8(.hlg)), ("dovi_profile4.bin", 1, .profile4),
        ("dovi_profile5-02.bin", 1, .profile5), ("dovi_profile5.bin", 1, .profile5),
        ("dovi_profile8.bin", 1, .profile8(.hdr10)), ("dovi_regular_rpu.bin", 259, .profile8(.hdr10)),
    ]

    @Test(arguments: files)
    func filesReadAndWriteTheSame(name: String, count: Int, profile: DolbyVisionProfile) throws {
        let units = try DolbyVisionVectors.units(name)
        let list = try DolbyVisionRPU.list(try DolbyVisionVectors.bytes(name))
        #expect(units.count == count && list.count == count)
        for (unit, rpu) in zip(units, list) {
            #expect(rpu.unit == (unit[0] == 0x19 ? [0x7C, 0x01] : []) + unit)
            #expect(rpu.profile == profile, "\(rpu.profile.map(\.description) ?? "none")")
            #expect(try DolbyVisionRPU(message: rpu.message) == rpu)
        }
    }

    /// RPUs inside other files, and what they are.
    static let media: [(String, Int, DolbyVisionProfile)] = [
        ("dovi_no_aud_injected.hevc", 259, .profile8(.hdr10)), ("dovi_regular.hevc", 259, .profile8(.hdr10)),
        ("dovi_regular_start_code_4_muxed_el.hevc", 259, .profile8(.hdr10)),
        ("dovi_regular.mkv", 259, .profile8(.hdr10)), ("exo_dolbyVision-hdr.MOV", 5, .profile8(.hlg)),
        ("exo_video_dovi_1920x1080_60fps_dvav_09.mp4", 77, .profile9), ("fate_dovi-p5.mp4", 10, .profile5),
        ("fate_dovi-p7.mp4", 10, .profile7(.full)),
    ]

    @Test(arguments: media)
    func embeddedUnitsReadAndWriteTheSame(name: String, count: Int, profile: DolbyVisionProfile) throws {
        let units =
            name.hasSuffix(".hevc")
            ? try DolbyVisionVectors.units(name).filter { HEVCUnitType(header: $0[0]) == .dolbyRPU }
            : try DolbyVisionVectors.embedded(name)
        #expect(units.count == count)
        for unit in units {
            let rpu = try DolbyVisionRPU(unit: unit)
            // Some muxers leave a zero of the byte stream after the unit; it is not written.
            #expect(rpu.unit == Array(unit[...(unit.lastIndex { $0 != 0 } ?? 0)]))
            #expect(rpu.profile == profile, "\(rpu.profile.map(\.description) ?? "none")")
        }
    }

    /// The same RPU in AV1's wrapping and in HEVC's.
    @Test(arguments: [
        ("dovi_av1-rpu_fel_orig.bin", "dovi_fel_orig.bin"), ("dovi_p84-01.bin", "dovi_p84-01-ref.bin"),
    ])
    func messagesAreTheUnitsWrapped(message: String, reference: String) throws {
        let bytes = try DolbyVisionVectors.bytes(message)
        let rpu = try DolbyVisionRPU(message: bytes)
        #expect([rpu] == (try DolbyVisionRPU.list(try DolbyVisionVectors.bytes(reference))))
        #expect(rpu.message == bytes)
    }

    /// Metadata units of a coded AV1 stream; their padding is zeros where others write ones.
    @Test func metadataUnitsOfAV1AreRead() throws {
        let file = try DolbyVisionVectors.bytes("exo_video_dovi_3840x2160_30fps_dav1_10.mp4")
        let starts = file.ranges(of: hex("04 B5 003B 0000 0800 37CD")).map(\.lowerBound)
        #expect(starts.count > 10)
        for start in starts {
            let size = Int(file[start - 2] & 0x7F) | Int(file[start - 1]) << 7
            let message = Array(file[(start + 2)..<(start + size)])
            let rpu = try DolbyVisionRPU(message: message)
            #expect(rpu.profile == .profile5)
            let again = rpu.message
            #expect(again.dropLast() == message.prefix(again.count - 1))
        }
    }

    /// dovi_tool's test pair of mode 3.
    @Test func profile5BecomesTheReference() throws {
        let rpu = try #require(try DolbyVisionRPU.list(try DolbyVisionVectors.bytes("dovi_profile5.bin")).first)
        let reference = try DolbyVisionVectors.units("dovi_profile8.bin")
        #expect([Array(try rpu.converted(to: .profile81FromProfile5).unit.dropFirst(2))] == reference)
        #expect(throws: NodeFailure.self) { try rpu.converted(to: .profile81) }
    }

    /// dovi_tool's tests go from 7 to 8.1 and back to the original.
    @Test func minimalEnhancementComesBackToTheByte() throws {
        let rpu = try #require(try DolbyVisionRPU.list(try DolbyVisionVectors.bytes("dovi_mel_orig.bin")).first)
        let single = try rpu.converted(to: .profile81)
        #expect(single.profile == .profile8(.hdr10))
        #expect(try single.converted(to: .minimalEnhancement) == rpu)
        #expect(try rpu.converted(to: .minimalEnhancement) == rpu)
    }

    /// The enhancement layer's clip was injected with RPUs of 8.1, which the conversion has nothing to change in.
    @Test func profile8IsNotChanged() throws {
        for unit in try DolbyVisionVectors.units("dovi_regular_rpu.bin") {
            let rpu = try DolbyVisionRPU(payload: unit.withUnsafeBytes { EmulationPrevention.removed(from: $0) })
            for conversion in [DolbyVisionConversion.profile81, .profile81WithCurves, .lossless] {
                #expect(try rpu.converted(to: conversion) == rpu, "\(conversion)")
            }
        }
    }

    /// The curves of 8.4 are those of a phone's recording.
    @Test func hlgCurvesAreAPhones() throws {
        let units = try DolbyVisionVectors.embedded("exo_dolbyVision-hdr.MOV")
        #expect(try DolbyVisionRPU(unit: units[0]).mapping == .hybridLogGamma)
        let rpu = try #require(try DolbyVisionRPU.list(try DolbyVisionVectors.bytes("dovi_fel_orig.bin")).first)
        #expect(try rpu.converted(to: .profile84).mapping == .hybridLogGamma)
    }

    @Test func onlyRPUsAreRPUs() throws {
        let units = try DolbyVisionVectors.units("dovi_regular_bl_start_code_4.hevc")
        #expect(units.count > 200)
        for unit in units { #expect(throws: NodeFailure.self) { try DolbyVisionRPU(unit: unit) } }
        #expect(throws: NodeFailure.self) {
            try DolbyVisionRPU.list(try DolbyVisionVectors.bytes("dovi_regular.hevc"))
        }
    }
}
