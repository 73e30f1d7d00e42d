import SluiceBitstream
import SluiceCore
import Testing

@Suite struct NALFramingTests {
    /// Behaviours RP-23: a unit of 259 bytes has a length that looks like a start code.
    @Test func lengthWalkDecidesAndNotTheFirstBytes() {
        let sample = hex("00 00 01 03") + [0x65] + [UInt8](repeating: 0x80, count: 258)
        #expect(sample.withUnsafeBytes { NALFraming.measure($0) } == .lengthPrefixed(4))
        let stream = hex("00 00 00 01 67 64 00 28 00 00 01 68 EE")
        #expect(stream.withUnsafeBytes { NALFraming.measure($0) } == .annexB)
        #expect([1, 2, 3].withUnsafeBytes { NALFraming.measure($0) } == nil)
    }

    /// Behaviours RP-24, RP-22: a declared length of 32 with three bytes present does not walk.
    @Test func truncatedUnitIsNotWalkedAndTheWholeOnesAreCounted() {
        let cut = hex("00 00 00 20 65 01 02")
        #expect(cut.withUnsafeBytes { LengthPrefixedUnits.fills($0) } == false)
        #expect(cut.withUnsafeBytes { LengthPrefixedUnits.wholeLength($0) } == 0)
        let partly = hex("00 00 00 02 09 F0 00 00 00 09 65 01")
        #expect(partly.withUnsafeBytes { LengthPrefixedUnits.wholeLength($0) } == 6)
        #expect(hex("00 00 00 00").withUnsafeBytes { LengthPrefixedUnits.fills($0) } == false)
        // Behaviours MU-15: one- and two-byte lengths.
        #expect(hex("02 09 F0 01 65").withUnsafeBytes { LengthPrefixedUnits.fills($0, lengthSize: 1) })
        #expect(hex("00 02 09 F0").withUnsafeBytes { LengthPrefixedUnits.fills($0, lengthSize: 2) })
    }

    @Test func startCodesOfThreeAndFourBytesAndTrailingZeros() {
        let stream = hex("FF 00 00 00 01 09 F0 00 00 01 67 00 00 03 00 00 00 00 01 68 EE 00 00")
        let units = stream.withUnsafeBytes { AnnexBUnits($0).map { Array(stream[$0]) } }
        #expect(units == [hex("09 F0"), hex("67 00 00 03"), hex("68 EE")])
        #expect(hex("00 00 01").withUnsafeBytes { Array(AnnexBUnits($0)) }.isEmpty)
    }

    /// The conversion adds lengths; unit bytes stay where they are.
    @Test func convertsToLengthsWithoutCopying() {
        let stream = hex("00 00 00 01 09 F0 00 00 01 65 88 84")
        let whole = ByteChunk(hex("AA BB") + stream, 2..<14)
        let chunks = whole.lengthPrefixed(from: .annexB) { H264UnitType(header: $0) != .accessUnitDelimiter }
        #expect(chunks.joined() == hex("00 00 00 03 65 88 84"))
        #expect(chunks[1].range == 11..<14)
        #expect(whole.lengthPrefixed(from: .annexB).joined() == hex("00 00 00 02 09 F0 00 00 00 03 65 88 84"))
        let short = ByteChunk(hex("02 09 F0 01 65")).lengthPrefixed(from: .lengthPrefixed(1))
        #expect(short.joined() == hex("00 00 00 02 09 F0 00 00 00 01 65"))
    }

    @Test func randomAccessOfBothCodecs() {
        let prefix = hex("00 00 00 01")
        func h264(_ units: String...) -> RandomAccess? {
            units.flatMap { prefix + hex($0) }.withUnsafeBytes { RandomAccess.h264($0, framing: .annexB) }
        }
        #expect(h264("09 F0", "65 88 84") == .idr)
        #expect(h264("41 9A 24") == .dependent)
        // Recovery point message: type 6, one byte, ue(0), trailing bits.
        #expect(h264("06 06 01 C4 80", "41 9A 24") == .recoveryPoint(frames: 0))
        #expect(h264("67 64 00 28") == nil)
        func hevc(_ type: UInt8) -> RandomAccess? {
            (prefix + [type << 1, 1, 0xAF]).withUnsafeBytes { RandomAccess.hevc($0, framing: .annexB) }
        }
        #expect(hevc(19) == .idr && hevc(20) == .idr && hevc(21) == .cra && hevc(16) == .bla)
        #expect(hevc(8) == .skippedLeading && hevc(9) == .skippedLeading && hevc(6) == .decodableLeading)
        #expect(hevc(1) == .dependent && hevc(33) == nil)
    }
}

@Suite struct HEVCRecordTests {
    private let header = hex("01 01 60000000 900000000000 5D F000 FC FD F8 F8 0000 0F")

    private func record(_ arrays: [(UInt8, [[UInt8]])]) -> [UInt8] {
        var bytes = header + [UInt8(arrays.count)]
        for (type, units) in arrays {
            bytes += [type, 0, UInt8(units.count)]
            for unit in units { bytes += [UInt8(unit.count >> 8), UInt8(unit.count & 0xFF)] + unit }
        }
        return bytes
    }

    /// Behaviours RP-31, MU-14: SEI goes, order is VPS SPS PPS, arrays are merged and complete, the header is kept.
    @Test func normalFormKeepsParameterSetsOnly() throws {
        let sei = [UInt8](repeating: 0x4E, count: 2_200)
        let damaged = record([
            (0x22, [[0x44, 1, 9]]), (0x27, [sei]), (0x20, [[0x40, 1, 1]]), (0x21, [[0x42, 1, 2]]),
            (0x22, [[0x44, 1, 8]]),
        ])
        let normal = try HEVCConfigurationRecord(damaged).normalized().bytes
        #expect(
            normal
                == record([(0xA0, [[0x40, 1, 1]]), (0xA1, [[0x42, 1, 2]]), (0xA2, [[0x44, 1, 9], [0x44, 1, 8]])]))
        #expect(Array(normal.prefix(22)) == header)
        #expect(try HEVCConfigurationRecord(normal).normalized().bytes == normal)
    }

    @Test func refusesWhatIsNoRecord() {
        #expect(throws: NodeFailure.self) { try HEVCConfigurationRecord(hex("00 00 00 01 40 01")) }
        #expect(throws: NodeFailure.self) {
            try HEVCConfigurationRecord([0] + [UInt8](repeating: 0, count: 30))
        }
        let whole = record([(0xA1, [[0x42, 1, 2, 3, 4]])])
        for length in 23..<whole.count {
            #expect(throws: NodeFailure.self) { try HEVCConfigurationRecord(Array(whole.prefix(length))) }
        }
        #expect(throws: NodeFailure.self) { try HEVCConfigurationRecord(record([(0xA2, [[0x44, 1]])])).normalized() }
    }
}

@Suite(.enabled(if: MediaTool.isPresent))
struct ParameterSetTests {
    private func probed(_ file: String, _ folder: TemporaryFolder) throws -> [String: String] {
        let line = try MediaTool.probe(
            "stream=width,height,profile,level,sample_aspect_ratio,color_primaries,color_transfer,color_space,"
                + "color_range,r_frame_rate,has_b_frames,pix_fmt", file: file, in: folder
        ).first
        var fields: [String: String] = [:]
        for part in try #require(line).split(separator: "|") {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { fields[pair[0]] = pair[1] }
        }
        return fields
    }

    /// A raw stream: size with cropping, aspect, colour, rate and reordering as ffprobe sees them.
    @Test func h264AgainstFfprobe() throws {
        let folder = try TemporaryFolder()
        _ = try MediaTool.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=s=718x574:r=30000/1001:d=1", "-c:v", "libx264", "-preset", "veryfast",
                "-bf", "2", "-vf", "setsar=64/45", "-color_primaries", "bt470bg", "-color_trc", "smpte170m",
                "-colorspace", "bt470bg", "-color_range", "pc", "-pix_fmt", "yuv420p", "-f", "h264", "raw.264",
            ], in: folder)
        let fields = try probed("raw.264", folder)
        let bytes = try folder.read("raw.264")
        let units = bytes.withUnsafeBytes { AnnexBUnits($0).map { Array(bytes[$0]) } }
        let sps = try #require(units.lazy.compactMap { H264SequenceParameters($0) }.first)
        let pps = try #require(units.lazy.compactMap { H264PictureParameters($0) }.first)
        #expect(fields["width"] == "\(sps.width)" && fields["height"] == "\(sps.height)")
        #expect(fields["level"] == "\(sps.level)" && sps.profile == 100)
        let vui = try #require(sps.usability)
        #expect(vui.sampleAspect == SampleAspect(width: 64, height: 45))
        #expect(vui.color == ColorDescription(primaries: 5, transfer: 6, matrix: 5, fullRange: true))
        #expect(fields["color_primaries"] == "bt470bg" && fields["color_range"] == "pc")
        #expect(vui.timing?.timeScale == 60_000 && vui.timing?.unitsInTick == 1_001)
        #expect(fields["has_b_frames"] == vui.reorderPictures.map { "\($0)" })

        // Picture order counts, two a frame, put the pictures into display order; ffprobe's times are the oracle.
        let slices = units.filter { H264UnitType(header: $0[0]).isSlice }
        let headers = slices.compactMap { unit in
            unit.withUnsafeBytes { H264SliceHeader($0, sequence: sps, picture: pps) }
        }
        #expect(headers.count == slices.count && headers.count == 30)
        #expect(headers.first?.isIDR == true && headers.first?.kind == .i)
        let ranks = headers.map(\.pictureOrderLow)
        let period = 1 << sps.pictureOrderBits
        let expected = (0..<30).map { picture in UInt32(picture * 2 % period) }.sorted()
        #expect(ranks.sorted() == expected)
        let types = try MediaTool.probe("frame=pict_type", file: "raw.264", in: folder).compactMap { line in
            line.split(separator: "|").first { $0.hasPrefix("pict_type=") }.map { String($0.dropFirst(10)) }
        }
        let ours = zip(ranks, headers).sorted { $0.0 < $1.0 }.map { "\($0.1.kind)".uppercased() }
        #expect(period >= 60 && ours == types)
    }

    @Test func hevcAgainstFfprobe() throws {
        let folder = try TemporaryFolder()
        _ = try MediaTool.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=s=322x182:r=24000/1001:d=1", "-c:v", "libx265", "-pix_fmt",
                "yuv420p10le", "-preset", "ultrafast", "-x265-params",
                "log-level=none:bframes=3:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited:sar=1",
                "-f", "hevc", "raw.265",
            ], in: folder)
        let fields = try probed("raw.265", folder)
        let bytes = try folder.read("raw.265")
        let units = bytes.withUnsafeBytes { AnnexBUnits($0).map { Array(bytes[$0]) } }
        let sps = try #require(units.lazy.compactMap { HEVCSequenceParameters($0) }.first)
        let pps = try #require(units.lazy.compactMap { HEVCPictureParameters($0) }.first)
        #expect(fields["width"] == "\(sps.width)" && fields["height"] == "\(sps.height)")
        #expect(fields["level"] == "\(sps.profileTierLevel.level)" && fields["profile"] == "Main 10")
        #expect(sps.profileTierLevel.profile == 2 && sps.bitDepthLuma == 10 && sps.chromaFormat == 1)
        #expect(fields["has_b_frames"] == "\(sps.reorderPictures)")
        let vui = try #require(sps.usability)
        #expect(vui.color == ColorDescription(primaries: 9, transfer: 16, matrix: 9))
        #expect(fields["color_transfer"] == "smpte2084")
        #expect(vui.timing?.timeScale == 24_000 && vui.timing?.unitsInTick == 1_001)
        let headers = units.filter { HEVCUnitType(header: $0[0]).isSlice }.compactMap { unit in
            unit.withUnsafeBytes { HEVCSliceHeader($0, sequence: sps, picture: pps) }
        }
        let first = headers.filter(\.isFirstOfPicture)
        #expect(first.count == 24 && first.first?.type.isIDR == true)
        #expect(Set(first.map(\.pictureOrderLow)) == Set(0..<24))
    }

    /// Framing that both fits: a unit of 256 to 511 bytes has a length that looks like a start code, and a packet with
    /// start codes may be as long as its first bytes say.
    @Test func framingIsToldFromAllBytesWhereItsBeginningFitsBoth() {
        // 00 00 01 46: a length of 326, and the start code of an access unit delimiter.
        let coded: [UInt8] = [0, 0, 1, 0x46, 1, 0x50, 0, 0, 1, 0x02, 1] + Array(repeating: 0xAA, count: 319)
        #expect(coded.count == 330)
        #expect(coded.withUnsafeBytes { NALFraming.measure($0) } == .annexB)
        let one: [UInt8] = [0, 0, 1, 0x46] + Array(repeating: 0xAA, count: 326)
        #expect(one.withUnsafeBytes { NALFraming.measure($0) } == .lengthPrefixed(4))
        let two = one + one
        #expect(two.withUnsafeBytes { NALFraming.measure($0) } == .lengthPrefixed(4))
    }
}
