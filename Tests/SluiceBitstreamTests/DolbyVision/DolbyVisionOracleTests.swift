import SluiceCore
import Testing

@testable import SluiceBitstream

/// Converted streams under another reader of RPUs: libavcodec's.
@Suite(.enabled(if: DolbyVisionVectors.isPresent && MediaTool.isPresent)) struct DolbyVisionOracleTests {
    /// What ffprobe says of the first picture of a stream whose RPUs are all `rpu`, rewritten to `conversion`.
    private static func fields(_ rpu: DolbyVisionRPU, _ conversion: DolbyVisionConversion) throws -> [String: String] {
        let stream = try DolbyVisionVectors.bytes("dovi_regular_start_code_4_muxed_el.hevc")
        let units = stream.withUnsafeBytes { AnnexBUnits($0).map { Array(stream[$0]) } }
        var source: [UInt8] = []
        for unit in units {
            source += [0, 0, 0, 1] + (HEVCUnitType(header: unit[0]) == .dolbyRPU ? rpu.unit : unit)
        }
        var rewriter = DolbyVisionSampleRewriter(to: conversion)
        let rewritten = rewriter.rewrite(ByteChunk(source), framing: .annexB)
        let out = try #require(rewritten).joined()
        #expect(
            rewriter.convertedUnits + rewriter.unchangedUnits == 259 && rewriter.enhancementUnits > 200
                && rewriter.refusedUnits == 0)
        let folder = try TemporaryFolder()
        try folder.write(out, "out.hevc")
        let output = try MediaTool.run(
            "/usr/bin/ffprobe",
            ["-v", "error", "-show_frames", "-read_intervals", "%+#1", "-of", "flat=s=/", "out.hevc"], in: folder)
        #expect(output.standardError.isEmpty, "\(output.standardError)")
        var fields: [String: String] = [:]
        for line in output.text.split(separator: "\n") {
            let pair = line.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, let name = pair[0].split(separator: "/").last else { continue }
            if fields[String(name)] == nil { fields[String(name)] = pair[1].filter { $0 != "\"" } }
        }
        return fields
    }

    @Test func convertedStreamsAreSingleLayersOfProfile8() throws {
        for name in ["dovi_fel_orig.bin", "dovi_mel_orig.bin"] {
            let rpu = try #require(try DolbyVisionRPU.list(try DolbyVisionVectors.bytes(name)).first)
            let before = try Self.fields(rpu, .lossless)
            #expect(before["disable_residual_flag"] == "0" && before["nlq_method_idc"] == "0", "\(name): \(before)")
            let fields = try Self.fields(rpu, .profile81)
            #expect(fields["disable_residual_flag"] == "1" && fields["el_spatial_resampling_filter_flag"] == "0")
            #expect(fields["vdr_rpu_profile"] == "1" && fields["bl_bit_depth"] == "10")
            #expect(fields["nlq_method_idc"] == "-1", "\(name): \(fields)")
        }
    }
}
