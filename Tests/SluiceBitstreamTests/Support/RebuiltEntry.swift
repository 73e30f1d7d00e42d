import SluiceBitstream
import SluiceCore
import Testing

/// Makes a sample entry from the coded frames, as a muxer fed by a transport stream has to.
enum RebuiltEntry {
    static func make(_ source: SourceTrack) throws -> SampleEntry {
        let entry = source.entry
        let first = try #require(source.packets.first).bytes
        let width = Int(entry.width)
        let height = Int(entry.height)
        switch entry.code {
        case "avc1":
            let record = try AVCConfigurationRecord(try #require(entry.payload("avcC")))
            let built = try #require(
                AVCConfigurationRecord(sequenceSets: record.sequenceSets, pictureSets: record.pictureSets))
            let sps = try #require(built.sequence)
            return .video(.init(codec: .avc(built.bytes), width: sps.width, height: sps.height))
        case "hvc1":
            let record = try HEVCConfigurationRecord(try #require(entry.payload("hvcC")))
            let built = try #require(HEVCConfigurationRecord(parameterSets: record.arrays.flatMap(\.units)))
            let sps = try #require(built.sequence)
            return .video(.init(codec: .hevc(built.bytes), width: sps.width, height: sps.height))
        case "av01":
            let record = try first.withUnsafeBytes { bytes in
                let unit = try #require(OBUs(bytes).first { $0.type == .sequenceHeader })
                let header = try #require(AV1SequenceHeader(temporalUnit: bytes))
                #expect((header.width, header.height) == (width, height))
                return header.configuration(configUnits: Array(bytes[unit.range]))
            }
            return .video(.init(codec: .av1(record), width: width, height: height))
        case "vp09":
            let header = try #require(first.withUnsafeBytes { VP9FrameHeader($0) })
            #expect(header.isKeyFrame)
            return .video(
                .init(
                    codec: .vp9(header.configuration(framesPerSecond: 25)), width: header.width, height: header.height))
        default: return .audio(try audio(source, first: first))
        }
    }

    private static func audio(_ source: SourceTrack, first: [UInt8]) throws -> AudioSampleEntry {
        let entry = source.entry
        switch entry.code {
        case "ac-3":
            let frame = try #require(AC3Frame(first))
            #expect(frame.frameSize == first.count)
            return .init(codec: .ac3(frame.configuration), sampleRate: frame.sampleRate, channels: frame.channels)
        case "ec-3":
            let frame = try #require(EAC3Frame(first))
            #expect(frame.frameSize == first.count)
            let config = try #require(EAC3Configuration(first))
            return .init(codec: .eac3(config.bytes), sampleRate: frame.sampleRate, channels: frame.channels)
        case "fLaC":
            let record = Array(try #require(entry.payload("dfLa")).dropFirst(4))
            let info = try #require(FLACStreamInfo(record))
            return .init(
                codec: .flac(info.bytes), sampleRate: info.sampleRate, channels: info.channels,
                bitsPerSample: info.bitsPerSample)
        case "alac":
            let record = Array(try #require(entry.payload("alac")).dropFirst(4))
            let cookie = try #require(ALACConfiguration(record))
            return .init(
                codec: .alac(cookie.bytes), sampleRate: cookie.sampleRate, channels: cookie.channels,
                bitsPerSample: cookie.bitsPerSample)
        case "Opus":
            let payload = try #require(entry.payload("dOps"))
            let record = try #require(OpusConfiguration(box: payload))
            return .init(codec: .opus(record.bytes), sampleRate: 48_000, channels: record.channels)
        default:
            let payload = try #require(entry.payload("esds"))
            let config = try #require(Descriptors.config(payload))
            if config.objectType == 0x40 {
                let parsed = try #require(AudioSpecificConfig(config.specific))
                return .init(
                    codec: .mp4a(parsed.bytes), sampleRate: parsed.sampleRate, channels: parsed.channels ?? 0)
            }
            let header = try #require(MPEGAudioHeader(first))
            #expect(header.frameSize == first.count)
            return .init(
                codec: .mpeg(objectType: header.objectType), sampleRate: header.sampleRate, channels: header.channels)
        }
    }
}

/// A second, separate reading of `esds`.
enum Descriptors {
    static func config(_ esds: [UInt8]) -> (objectType: UInt8, specific: [UInt8])? {
        var offset = 4
        func header() -> UInt8? {
            guard offset + 2 <= esds.count else { return nil }
            let tag = esds[offset]
            offset += 1
            while offset < esds.count, esds[offset] & 0x80 != 0 { offset += 1 }
            offset += 1
            return tag
        }
        guard header() == 3 else { return nil }
        offset += 3
        guard header() == 4, offset < esds.count else { return nil }
        let objectType = esds[offset]
        offset += 13
        guard offset + 2 <= esds.count, esds[offset] == 5 else { return (objectType, []) }
        _ = header()
        let length = Int(esds[offset - 1])
        guard offset + length <= esds.count else { return nil }
        return (objectType, Array(esds[offset..<(offset + length)]))
    }
}
