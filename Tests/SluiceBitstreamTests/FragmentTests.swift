import SluiceBitstream
import SluiceCore
import Testing

@Suite struct FragmentBuilderTests {
    private func sample(_ size: Int, duration: UInt32 = 1_000, offset: Int32 = 0, sync: Bool = false) -> FragmentSample
    {
        FragmentSample(
            duration: duration, compositionOffset: offset, isSync: sync,
            chunks: [ByteChunk([UInt8](repeating: UInt8(truncatingIfNeeded: size), count: size))])
    }

    private func read(_ chunks: [ByteChunk]) throws -> FragmentContents {
        try #require(FragmentContents.all(in: chunks.joined()).first)
    }

    /// ISO/IEC 14496-12 §8.8.7 and §8.8.8 field by field, written out by hand.
    @Test func headerBytesOfOneVideoSegment() throws {
        let track = TrackFragment(
            trackID: 1, decodeTime: 0x1_0000_0002,
            samples: [sample(3, offset: 2_000, sync: true), sample(5, offset: -1_000)])
        let chunks = try FragmentBuilder.segment(index: 6, tracks: [track])
        #expect(chunks.count == 3, "one header, two samples by reference")
        let expected = hex(
            """
            00000018 73747970 6d736468 00000000 6d736468 636d6673
            00000074 6d6f6f66
              00000010 6d666864 00000000 00000007
              0000005c 74726166
                00000018 74666864 00020028 00000001 000003e8 01010000
                00000014 74666474 01000000 00000001 00000002
                00000028 7472756e 01000a05 00000002 0000007c 02000000
                  00000003 000007d0
                  00000005 fffffc18
            00000010 6d646174 030303 0505050505
            """)
        #expect(chunks.joined() == expected)
    }

    @Test func defaultsAreUsedWhereSamplesAgree() throws {
        let audio = TrackFragment(
            trackID: 2, decodeTime: 48_000, samples: (0..<5).map { _ in sample(7, duration: 1_024, sync: true) })
        let chunks = try FragmentBuilder.segment(index: 0, tracks: [audio])
        let tree = try BoxTree.parse(chunks.joined())
        #expect(tree.map(\.description) == ["styp", "moof(mfhd,traf(tfhd,tfdt,trun))", "mdat"])
        #expect(tree[1].first("traf", "trun")?.header.size == 20, "count and data offset only")
        let track = try #require(try read(chunks).tracks.first)
        #expect(track.isRelative && track.decodeTime == 48_000 && track.samples.count == 5)
        #expect(track.samples.allSatisfy { $0.duration == 1_024 && $0.size == 7 && $0.isSync })
        #expect(track.samples.map(\.offset) == (0..<5).map { tree[2].header.payload.lowerBound + $0 * 7 })
    }

    /// `muxed`: one moof, two trafs, payload track by track.
    @Test func tracksShareOneMoof() throws {
        let video = TrackFragment(trackID: 1, decodeTime: 0, samples: [sample(4, sync: true), sample(6)])
        let audio = TrackFragment(trackID: 2, decodeTime: 10, samples: [sample(2, sync: true), sample(3, sync: true)])
        let empty = TrackFragment(trackID: 3, decodeTime: 0, samples: [])
        let bytes = try FragmentBuilder.segment(index: 3, tracks: [video, audio, empty]).joined()
        let contents = try #require(FragmentContents.all(in: bytes).first)
        #expect(contents.sequence == 4 && contents.tracks.map(\.id) == [1, 2])
        for track in contents.tracks {
            for sample in track.samples {
                let data = bytes[sample.offset..<(sample.offset + Int(sample.size))]
                #expect(data.allSatisfy { $0 == UInt8(sample.size) })
            }
        }
        #expect(contents.tracks[0].samples.map(\.isSync) == [true, false])
    }

    @Test func payloadIsNeverCopied() throws {
        final class Storage: ByteStorage {
            let bytes: [UInt8] = [1, 2, 3, 4]
            var byteCount: Int { 4 }
            func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
                try bytes.withUnsafeBytes(body)
            }
        }
        let storage = Storage()
        let sample = FragmentSample(
            duration: 1, isSync: true, chunks: [ByteChunk(storage, 1..<3), ByteChunk(storage, 0..<1)])
        let chunks = try FragmentBuilder.segment(
            index: 0, tracks: [TrackFragment(trackID: 1, decodeTime: 0, samples: [sample])])
        #expect(chunks.dropFirst().allSatisfy { $0.storage as AnyObject === storage })
        #expect(Array(chunks.joined().suffix(3)) == [2, 3, 1])
    }

    @Test func refusesWhatNoSegmentCanHold() {
        struct Huge: ByteStorage {
            var byteCount: Int { 1 << 31 }
            func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
                try body(UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
        func failure(_ samples: [FragmentSample], index: Int = 0) -> NodeFailure.Code? {
            let track = TrackFragment(trackID: 1, decodeTime: 0, samples: samples)
            return code(of: { () throws(NodeFailure) in _ = try FragmentBuilder.segment(index: index, tracks: [track]) }
            )
        }
        let huge = FragmentSample(duration: 1, isSync: true, chunks: [ByteChunk(Huge())])
        #expect(failure([huge]) == .limitExceeded)
        #expect(failure([huge, huge, huge]) == .limitExceeded)
        #expect(failure([]) == .internalInvariant)
        #expect(failure([sample(0)]) == .internalInvariant)
        #expect(failure([sample(1)], index: -1) == .internalInvariant)
    }
}

@Suite struct InitializationBoxTests {
    private let avcC = hex("01640028FFE10004 67640028 01 0002 68EE")

    private func video(_ change: (inout VideoSampleEntry) -> Void = { _ in }) -> TrackDescription {
        var entry = VideoSampleEntry(codec: .avc(avcC), width: 1_440, height: 1_080)
        change(&entry)
        return TrackDescription(id: 1, timescale: 90_000, entry: .video(entry))
    }

    private let audio = TrackDescription(
        id: 2, timescale: 48_000,
        entry: .audio(.init(codec: .mp4a(hex("1190")), sampleRate: 48_000, channels: 2)), language: "eng")

    @Test func boxOrderAndZeroDurations() throws {
        let bytes = try InitializationSection(tracks: [video(), audio]).bytes()
        let tree = try BoxTree.parse(bytes).map(\.description)
        let table = "stts,stsc,stsz,stco"
        #expect(
            tree == [
                "ftyp",
                "moov(mvhd,trak(tkhd,mdia(mdhd,hdlr,minf(vmhd,dinf(dref(url )),stbl(stsd(avc1(avcC)),\(table))))),"
                    + "trak(tkhd,mdia(mdhd,hdlr,minf(smhd,dinf(dref(url )),stbl(stsd(mp4a(esds)),\(table))))),mvex(trex,trex))",
            ])
        let contents = try InitializationContents(bytes)
        #expect(contents.majorBrand == "iso6" && contents.compatibleBrands == ["iso6", "mp41"])
        #expect(contents.movieDuration == 0 && contents.tracks.allSatisfy { $0.duration == 0 && $0.sampleCount == 0 })
        #expect(contents.tracks.map(\.id) == [1, 2] && contents.tracks.map(\.timescale) == [90_000, 48_000])
        #expect(
            contents.tracks.map(\.language) == ["und", "eng"] && contents.tracks.map(\.handler) == ["vide", "soun"])
        #expect(contents.tracks.allSatisfy { $0.defaults?.description == 1 && $0.edits.isEmpty && $0.flags == 3 })
        #expect(contents.tracks[1].entries[0].channels == 2 && contents.tracks[1].entries[0].sampleRate == 48_000 << 16)
    }

    /// Anamorphic 1440x1080 is shown 1920 wide; colour, light level and mastering as their specifications lay them out.
    @Test func videoExtensionBoxes() throws {
        let track = video {
            $0.sampleAspect = SampleAspect(width: 4, height: 3)
            $0.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, fullRange: false)
            $0.contentLight = ContentLightLevel(maximumContent: 1_000, maximumFrameAverage: 400)
            $0.mastering = MasteringDisplay(
                primaries: [8_500, 39_850, 6_550, 2_300, 35_400, 14_600], whitePoint: [15_635, 16_450],
                maximumLuminance: 10_000_000, minimumLuminance: 1)
            $0.dolbyVision = DolbyVisionConfiguration(profile: 8, level: 6, compatibility: 1)
        }
        let parsed = try InitializationContents(try InitializationSection(tracks: [track]).bytes()).tracks[0]
        #expect(parsed.width == 1_920 << 16 && parsed.height == 1_080 << 16)
        #expect(parsed.matrix == [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000])
        let entry = parsed.entries[0]
        #expect(entry.boxes.map(\.type) == ["avcC", "dvvC", "colr", "pasp", "clli", "mdcv"])
        #expect(entry.payload("colr") == hex("6e636c78 0009 0010 0009 00"))
        #expect(entry.payload("pasp") == hex("00000004 00000003"))
        #expect(entry.payload("clli") == hex("03E8 0190"))
        #expect(
            entry.payload("mdcv")
                == hex("2134 9BAA 1996 08FC 8A48 3908 3D13 4042 00989680 00000001"))
    }

    /// Audio-only titles trim their priming; the movie clock is the track's own, so the length is exact.
    @Test func editListOfAnAudioTitle() throws {
        var track = audio
        track.edit = TrackEdit(mediaTime: 1_024, duration: 480_123)
        track.language = "pt-BR"
        let contents = try InitializationContents(try InitializationSection(tracks: [track]).bytes())
        #expect(contents.movieTimescale == 48_000)
        #expect(contents.tracks[0].edits == [TrackEdit(mediaTime: 1_024, duration: 480_123)])
        #expect(contents.tracks[0].language == "und")
    }

    @Test func refusesBadDescriptions() {
        func failure(_ tracks: [TrackDescription]) -> NodeFailure.Code? {
            code(of: { () throws(NodeFailure) in _ = try InitializationSection(tracks: tracks).bytes() })
        }
        #expect(failure([]) == .internalInvariant)
        #expect(failure([audio, audio]) == .internalInvariant)
        #expect(failure([video { $0.width = 70_000 }]) == .unsupported)
        #expect(failure([video { $0.codec = .avc([0, 0, 0, 1]) }]) == .malformedInput)
        #expect(failure([video { $0.codec = .hevc(hex("000000014001")) }]) == .malformedInput)
    }
}

@Suite struct BoxReaderTests {
    @Test func readsLongAndOpenSizes() throws {
        let bytes = hex("00000001 66726565 0000000000000014 AABBCCDD 00000000 6d646174 0102")
        let tree = try BoxTree.parse(bytes)
        #expect(tree.map(\.header.type) == ["free", "mdat"])
        #expect(tree[0].header.payload == 16..<20 && tree[1].header.payload == 28..<30)
    }

    @Test(arguments: [
        "00000007 66726565", "0000000A 66726565", "00000001 66726565 00000000000000",
        "00000001 66726565 000000000000000F",
        "00000001 66726565 FFFFFFFFFFFFFFFF", "000000",
    ])
    func refusesSizesThatDoNotFit(_ text: String) {
        #expect(throws: NodeFailure.self) { try BoxTree.parse(hex(text)) }
    }

    @Test func sampleCountsCannotAskForMemory() {
        // A trun that declares 2^31 samples of 8 bytes and holds none; and one of samples without any field.
        for flags in ["00000300", "00000000"] {
            let moof = hex(
                "00000038 6d6f6f66 00000030 74726166 00000010 74666864 00020000 00000001"
                    + "00000018 7472756e \(flags) 80000000 00000000 00000000")
            #expect(throws: NodeFailure.self) { try FragmentContents.all(in: moof) }
        }
    }
}

/// Code of what `body` throws; nil where it throws nothing.
private func code(of body: () throws(NodeFailure) -> Void) -> NodeFailure.Code? {
    do {
        try body()
        return nil
    } catch {
        return error.code
    }
}
