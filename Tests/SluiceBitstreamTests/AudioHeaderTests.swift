import SluiceBitstream
import SluiceCore
import TestTools
import Testing

@Suite struct AudioConfigurationTests {
    /// ISO/IEC 14496-3: 48 kHz 5.1 AAC-LC, HE-AAC 24 to 48 kHz, HE-AAC v2 22.05 to 44.1 kHz.
    @Test func audioSpecificConfigVectors() throws {
        let plain = try #require(AudioSpecificConfig(hex("11B0")))
        #expect(plain.objectType == 2 && plain.sampleRate == 48_000 && plain.channels == 6)
        let replicated = try #require(AudioSpecificConfig(hex("2B118800")))
        #expect(replicated.objectType == 2 && replicated.hasSpectralReplication && replicated.channels == 2)
        #expect(replicated.sampleRate == 24_000 && replicated.outputRate == 48_000)
        #expect(replicated.bytes == hex("2B118800"))
        let backward = try #require(AudioSpecificConfig(hex("139056E5A0")))
        #expect(backward.objectType == 2 && backward.hasSpectralReplication && backward.sampleRate == 22_050)
        #expect(backward.outputRate == 44_100 && backward.outputFrameSamples == 2_048)
        // An escape to object type 42 (xHE-AAC): 11111 001010.
        let extended = try #require(AudioSpecificConfig(hex("F9468000")))
        #expect(extended.objectType == 42)
        #expect(AudioSpecificConfig(hex("11")) == nil)
        #expect(AudioSpecificConfig(hex("1690")) == nil, "rate index 13 is reserved")
    }

    /// Behaviours RP-35: five bits of object type, four of rate index, four of channels.
    @Test func twoByteConfigs() {
        #expect(
            AudioSpecificConfig(objectType: 2, sampleRate: 44_100, channelConfiguration: 2)?.bytes == hex("1210"))
        #expect(
            AudioSpecificConfig(objectType: 2, sampleRate: 48_000, channelConfiguration: 6)?.bytes == hex("11B0"))
        #expect(
            AudioSpecificConfig(objectType: 2, sampleRate: 7_350, channelConfiguration: 7)?.bytes == hex("1638"))
        #expect(AudioSpecificConfig(objectType: 31, sampleRate: 48_000, channelConfiguration: 2) == nil)
    }

    /// Behaviours RP-33: only the first two bytes change.
    @Test func flacMinimumBlockIsRaised() throws {
        let tail = hex("1200 000010 002000 0BB802F0 00000000") + [UInt8](repeating: 7, count: 16)
        let broken = hex("0000") + tail
        let info = try #require(FLACStreamInfo(broken))
        #expect(info.bytes == hex("1200") + tail)
        #expect(
            info.minimumBlock == 4_608 && info.sampleRate == 48_000 && info.channels == 2 && info.bitsPerSample == 16)
        let sound = hex("0FFF") + tail
        #expect(FLACStreamInfo(sound)?.bytes == sound)
        let hopeless = hex("0000 000F") + tail.dropFirst(2)
        #expect(FLACStreamInfo(hopeless)?.bytes == hopeless)
        let wrapped = hex("664C6143 00000022") + sound
        #expect(FLACStreamInfo(wrapped)?.bytes == sound)
        #expect(FLACStreamInfo(Array(sound.dropLast())) == nil)
    }

    /// Behaviours MX-18: a core with one dependent substream of chanmap 0xA010, objects of complexity 16.
    @Test func dependentSubstreamLocations() throws {
        let config = try #require(EAC3Configuration(EAC3Frames.coreWithHeights, bitRate: 640_000))
        #expect(config.bytes == hex("14 00 0C 0F 02 40 01 10"))
    }

    /// Behaviours BL-03: 384 kbit/s 5.1, one independent substream.
    @Test func plainDec3() throws {
        let config = try #require(EAC3Configuration(EAC3Frames.independent(complexity: nil)))
        #expect(config.bytes == hex("0c 00 20 0f 00"))
        let joc = try #require(EAC3Configuration(EAC3Frames.independent(complexity: 12)))
        #expect(joc.bytes == hex("0c 00 20 0f 00 01 0c"))
    }

    /// RFC 7845 §5.1 and Opus-in-ISOBMFF §4.3.2: the same fields, the other way around.
    @Test func opusHeadBecomesBigEndian() throws {
        let head = Array("OpusHead".utf8) + hex("01 02 3801 80BB0000 0000 00")
        #expect(OpusConfiguration(head: head)?.bytes == hex("00 02 0138 0000BB80 0000 00"))
        let surround = Array("OpusHead".utf8) + hex("01 06 3801 80BB0000 FEFF 01 04 02 000401020503")
        let config = try #require(OpusConfiguration(head: surround))
        #expect(config.bytes == hex("00 06 0138 0000BB80 FFFE 01 04 02 000401020503"))
        #expect(OpusConfiguration(box: config.bytes) == config)
        #expect(OpusConfiguration(head: Array(surround.dropLast())) == nil)
        #expect([0xFC].withUnsafeBytes { OpusPacket.samples($0) } == 960)
        #expect([0x0B as UInt8, 3].withUnsafeBytes { OpusPacket.samples($0) } == 2_880)
    }

    @Test func adtsHeader() throws {
        let header = try #require(ADTSHeader(hex("FF F1 50 80 2E 7F FC")))
        #expect(header.objectType == 2 && header.sampleRate == 44_100 && header.channelConfiguration == 2)
        #expect(header.headerSize == 7 && header.frameSize == 371 && header.blocks == 1)
        #expect(header.config?.bytes == hex("1210"))
        #expect(ADTSHeader(hex("FF F0 50 80 2E 7F FC"))?.headerSize == 9)
        #expect(ADTSHeader(hex("FF FB 50 80 2E 7F FC")) == nil, "layer bits are not zero: MPEG audio")
        #expect(ADTSHeader(hex("FF F1 74 80 2E 7F FC")) == nil, "rate index 13 is reserved")
    }
}

/// E-AC-3 frames written bit by bit from ETSI TS 102 366 Annex E.1.2.
enum EAC3Frames {
    private struct Bits {
        var text = ""
        mutating func add(_ value: Int, _ count: Int) {
            let digits = String(value, radix: 2)
            text += String(repeating: "0", count: max(0, count - digits.count)) + digits
        }
        func bytes(size: Int) -> [UInt8] {
            var list: [UInt8] = []
            var rest = Substring(text)
            while !rest.isEmpty {
                let part = rest.prefix(8)
                rest = rest.dropFirst(8)
                list.append(UInt8(part + String(repeating: "0", count: 8 - part.count), radix: 2) ?? 0)
            }
            return list + [UInt8](repeating: 0, count: max(0, size - list.count))
        }
    }

    private static func frame(type: Int, size: Int, map: Int?, complexity: Int?) -> [UInt8] {
        var bits = Bits()
        bits.add(0x0B77, 16)
        bits.add(type, 2)
        bits.add(0, 3)
        bits.add(size / 2 - 1, 11)
        bits.add(0, 2)
        bits.add(3, 2)
        bits.add(7, 3)
        bits.add(1, 1)
        bits.add(16, 5)
        bits.add(31, 5)
        bits.add(1, 1)
        bits.add(0x55, 8)
        if type == 1 {
            bits.add(map == nil ? 0 : 1, 1)
            if let map { bits.add(map, 16) }
        }
        // mixmdate with every optional part of an independent substream.
        bits.add(1, 1)
        bits.add(1, 2)
        bits.add(0x3F, 6)
        bits.add(0x3F, 6)
        bits.add(1, 1)
        bits.add(31, 5)
        if type == 0 {
            bits.add(1, 1)
            bits.add(63, 6)
            bits.add(1, 1)
            bits.add(63, 6)
            bits.add(3, 2)
            bits.add(1, 5)
            bits.add(0xFFFFFF, 24)
            bits.add(1, 1)
            for _ in 0..<6 {
                bits.add(1, 1)
                bits.add(31, 5)
            }
        }
        bits.add(1, 1)
        bits.add(0, 3)
        bits.add(3, 2)
        bits.add(3, 2)
        bits.add(1, 1)
        bits.add(0xFF, 8)
        bits.add(1, 1)
        bits.add(complexity == nil ? 0 : 1, 1)
        if let complexity {
            bits.add(1, 6)
            bits.add(0, 7)
            bits.add(1, 1)
            bits.add(complexity, 8)
        }
        return bits.bytes(size: size)
    }

    static func independent(complexity: Int?) -> [UInt8] {
        frame(type: 0, size: 1_536, map: nil, complexity: complexity)
    }

    /// An AC-3 core (bsid 6, 5.1, 448 kbit/s) and a dependent substream behind it.
    static let coreWithHeights: [UInt8] = {
        var core = Bits()
        core.add(0x0B77, 16)
        core.add(0, 16)
        core.add(0, 2)
        core.add(30, 6)
        core.add(6, 5)
        core.add(0, 3)
        core.add(7, 3)
        core.add(0, 2)
        core.add(0, 2)
        core.add(1, 1)
        return core.bytes(size: 1_792) + frame(type: 1, size: 768, map: 0xA010, complexity: 16)
    }()
}

@Suite(.enabled(if: MediaTool.isPresent))
struct AudioStreamTests {
    /// Frames of a raw ADTS stream, stripped, are the packets that libavformat's mov muxer stores.
    @Test func adtsPayloadsAreTheSamplesOfAnMP4() throws {
        let folder = try TemporaryFolder()
        _ = try MediaTool.ffmpeg(
            ["-f", "lavfi", "-i", "sine=d=1:r=44100", "-ac", "2", "-c:a", "aac", "-f", "adts", "a.aac"], in: folder)
        let source = try SourceTrack.make(["-i", "a.aac", "-c", "copy", "-bsf:a", "aac_adtstoasc"], in: folder)
        let bytes = try folder.read("a.aac")
        let payloads = bytes.withUnsafeBytes { ADTSHeader.payloads(in: $0) }.map { Array(bytes[$0]) }
        #expect(payloads == source.packets.map(\.bytes))
        let theirs = try #require(source.entry.payload("esds").flatMap { Descriptors.config($0) })
        #expect(ADTSHeader(bytes)?.config?.bytes == Array(theirs.specific.prefix(2)))
    }

    @Test(.enabled(if: SharedMaterial.file("media/audio/exo_sample_eac3joc.mp4") != nil))
    func objectAudioIsFoundWhereTheFileDeclaresIt() throws {
        let folder = try TemporaryFolder()
        let file = try #require(SharedMaterial.file("media/audio/exo_sample_eac3joc.mp4"))
        let theirs = try #require(try payload("dec3", of: file, folder))
        let track = try SourceTrack.read("input.mp4", in: folder)
        let config = try #require(EAC3Configuration(track.packets[0].bytes))
        #expect(Array(theirs.suffix(2)) == [1, try #require(config.objectComplexity)])
        #expect(config.bytes.dropFirst(2) == theirs.dropFirst(2))
    }

    /// 7.1 as an independent 5.1 substream and a dependent one; ffprobe's packet size is the oracle.
    @Test(.enabled(if: SharedMaterial.file("media/audio/fate_the_great_wall_7.1.eac3") != nil))
    func dependentSubstreamMakesSevenPointOne() throws {
        let folder = try TemporaryFolder()
        let path = try #require(SharedMaterial.file("media/audio/fate_the_great_wall_7.1.eac3"))
        #expect(try MediaTool.run("/bin/cp", [path, "input.eac3"], in: folder).status == 0)
        let lines = try MediaTool.probe("packet=size", file: "input.eac3", in: folder)
        let size = try #require(lines.first.flatMap { Int($0.dropFirst(5)) })
        let unit = Array(try folder.read("input.eac3").prefix(size))
        let frames = unit.withUnsafeBytes { EAC3Configuration.frames(in: $0) }
        #expect(frames.reduce(0) { $0 + $1.frameSize } == size)
        #expect(frames.map(\.kind) == [.independent, .dependent])
        let config = try #require(EAC3Configuration(unit))
        let probed = try MediaTool.probe("stream=channels", file: "input.eac3", in: folder)
        #expect(probed == ["channels=\(config.channels)"] && config.channels == 8)
    }

    private func payload(_ type: FourCC, of path: String, _ folder: TemporaryFolder) throws -> [UInt8]? {
        let output = try MediaTool.run("/bin/cp", [path, "input.mp4"], in: folder)
        #expect(output.status == 0)
        return try InitializationContents(try folder.read("input.mp4")).tracks.first?.entries.first?.payload(type)
    }
}
