import Foundation
import SluiceGraph
import TestTools
import Testing

/// `sluice dovi` and `sluice probe --detect`, on files that other tools made.
@Suite(.enabled(if: SharedMaterial.file("media/hdr/dovi_fel_orig.bin") != nil)) struct DoviCommandTests {
    private func file(_ name: String) throws -> String {
        try #require(SharedMaterial.file("media/hdr/\(name)"))
    }

    private func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    private func output() -> String {
        FileManager.default.temporaryDirectory.appending(path: "dovi-\(UUID().uuidString)").path()
    }

    @Test(arguments: [
        "dovi_data_before_crc32.bin", "dovi_empty_dmv1_blocks.bin", "dovi_fel_orig.bin", "dovi_mel_orig.bin",
        "dovi_p84-01-ref.bin", "dovi_profile4.bin", "dovi_profile5-02.bin", "dovi_profile5.bin", "dovi_profile8.bin",
        "dovi_regular_rpu.bin",
    ])
    func whatIsNotConvertedIsWrittenAsItWas(_ name: String) throws {
        let copy = output()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let result = try Subprocess.run(["dovi", try file(name), "--rpu", copy])
        #expect(result.code == 0, "\(result.errors)")
        let same = try bytes(copy) == bytes(try file(name))
        #expect(same)
    }

    /// The messages of AV1 are the RPUs of HEVC in another wrapper.
    @Test func messagesComeOutAsUnits() throws {
        for (message, unit) in [
            ("dovi_av1-rpu_fel_orig.bin", "dovi_fel_orig.bin"), ("dovi_p84-01.bin", "dovi_p84-01-ref.bin"),
        ] {
            let copy = output()
            defer { try? FileManager.default.removeItem(atPath: copy) }
            #expect(try Subprocess.run(["dovi", try file(message), "--rpu", copy]).code == 0)
            let same = try bytes(copy) == bytes(try file(unit))
            #expect(same, "\(message)")
        }
    }

    @Test func twoLayersBecomeOneAndDecodeTheSame() throws {
        let (rpus, pictures) = (output(), output() + ".hevc")
        defer { for path in [rpus, pictures] { try? FileManager.default.removeItem(atPath: path) } }
        let source = try file("dovi_regular_start_code_4_muxed_el.hevc")
        let result = try Subprocess.run(["dovi", source, "--mode", "8.1", "--hevc", pictures, "--rpu", rpus, "--json"])
        #expect(result.code == 0)
        let report = try Sample.parse(result.output)
        #expect(report["rpus"]?.number == 259 && report["converted"]?.number == 259)
        #expect((report["enhancementUnits"]?.number ?? 0) > 500)
        // Nothing but the layer is missing.
        let frames = try ["", source, pictures].dropFirst().map { path in
            try ExternalTool.text("ffmpeg", ["-v", "quiet", "-i", path, "-map", "0:v", "-f", "framemd5", "-"])
                .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: ",").last ?? "" }
        }
        #expect(frames[0].count > 200 && frames[0] == frames[1])
        let after = try Sample.parse(try Subprocess.run(["dovi", pictures, "--json"]).output)
        #expect(after["enhancementUnits"]?.number == 0 && after["rpus"]?.number == 259)
        #expect(try Subprocess.run(["dovi", rpus]).output.contains("profile      8.1 in 259"))
    }

    @Test func whatCannotBeConvertedIsSaid() throws {
        let result = try Subprocess.run(["dovi", try file("dovi_profile5.bin"), "--mode", "8.1", "--json"])
        #expect(result.code == 1)
        let report = try Sample.parse(result.output)
        #expect(report["refused"]?.number == 1 && report["failure"]?.text?.contains("profile 5") == true)
        let plain = try Subprocess.run(["dovi", try file("hdr10plus_regular.hevc")])
        #expect(plain.code == 1 && plain.errors.contains("no Dolby Vision metadata"))
        let pictures = try Subprocess.run(["dovi", try file("dovi_fel_orig.bin"), "--hevc", output()])
        #expect(pictures.code != 0 && pictures.errors.contains("no pictures"))
    }

    /// One RPU of many is damaged: it is counted and left out, the others are written.
    @Test func aDamagedRPUOfAFileIsReportedAndTheRestGoesOn() throws {
        var stream = try bytes(try file("dovi_regular_rpu.bin"))
        let whole = try Sample.parse(try Subprocess.run(["dovi", try file("dovi_regular_rpu.bin"), "--json"]).output)
        let count = try #require(whole["rpus"]?.number)
        stream[stream.count / 2] ^= 1
        let (damaged, copy) = (output() + ".bin", output())
        defer { for path in [damaged, copy] { try? FileManager.default.removeItem(atPath: path) } }
        try Data(stream).write(to: URL(filePath: damaged))
        let result = try Subprocess.run(["dovi", damaged, "--rpu", copy, "--json"])
        let report = try Sample.parse(result.output)
        #expect(result.code == 1 && report["refused"]?.number == 1 && report["rpus"]?.number == count - 1)
        #expect(report["unchanged"]?.number == count - 1)
        let again = try Sample.parse(try Subprocess.run(["dovi", copy, "--json"]).output)
        #expect(again["rpus"]?.number == count - 1 && again["refused"]?.number == 0)
    }

    @Test func metadataOfPicturesIsDetected() throws {
        for (name, found) in [
            ("hdr10plus_regular.hevc", "hdr10plus: yes"), ("hdr10plus_multimsg-sei.hevc", "hdr10plus: yes"),
            ("fate_hdr10_plus_vp9_sample.mkv", "hdr10plus: yes"), ("dovi_regular.mkv", "hdr10plus: not in"),
            ("dovi_regular.mkv", "dv: profile 8.1"), ("fate_dovi-p5.mp4", "dv: profile 5"),
            ("exo_hlg10-color-test.mp4", "hdrvivid: not in"), ("fate_dovi-p7.mp4", "dv: profile 7 FEL"),
            ("exo_video_dovi_3840x2160_30fps_dav1_10.mp4", "dv: profile 5"),
        ] {
            let result = try Subprocess.run(["probe", try file(name), "--detect", "hdr10plus,hdrvivid,dv"])
            #expect(result.code == 0 && result.output.contains(found), "\(name): \(found)")
        }
        let spaced = try Subprocess.run(["probe", try file("dovi_regular.mkv"), "--detect", "dv, hdrvivid"])
        #expect(spaced.code == 0 && spaced.output.contains("dv: profile 8.1"))
        let wrong = try Subprocess.run(["probe", try file("dovi_regular.mkv"), "--detect", "hdr10pls"])
        #expect(wrong.code == 2 && wrong.errors.contains("did you mean 'hdr10plus'"))
    }
}
