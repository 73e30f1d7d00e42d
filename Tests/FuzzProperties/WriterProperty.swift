import SluiceBitstream
import SluiceCore

/// Segments and initialization sections of any values are refused, or read back as what was written.
enum WriterProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        var source = ValueSource(bytes)
        return source.flag() ? segment(&source) : section(&source)
    }

    // MARK: - Segments

    private static func segment(_ source: inout ValueSource) -> String? {
        let index = Int(source.u32())
        var tracks: [TrackFragment] = []
        for id in 1...(1 + Int(source.u8() & 3)) {
            var samples: [FragmentSample] = []
            while samples.count < 64, source.u8() & 7 != 0 {
                let size = Int(source.u8())
                samples.append(
                    FragmentSample(
                        duration: source.u32(), compositionOffset: Int32(bitPattern: source.u32()),
                        isSync: source.flag(), chunks: [ByteChunk([UInt8](repeating: UInt8(id), count: size))]))
            }
            tracks.append(TrackFragment(trackID: UInt32(id), decodeTime: source.u64(), samples: samples))
        }
        guard let written = try? FragmentBuilder.segment(index: index, tracks: tracks).joined() else { return nil }
        guard let read = try? FragmentContents.all(in: written), read.count == 1, let fragment = read.first else {
            return "what was written does not read as one fragment"
        }
        if fragment.sequence != UInt32(truncatingIfNeeded: index + 1) { return "sequence \(fragment.sequence)" }
        let filled = tracks.filter { !$0.samples.isEmpty }
        guard fragment.tracks.count == filled.count else { return "\(fragment.tracks.count) tracks were read" }
        for (read, wanted) in zip(fragment.tracks, filled) {
            if let broken = difference(read, wanted, written) { return "track \(wanted.trackID): \(broken)" }
        }
        return nil
    }

    private static func difference(
        _ read: FragmentContents.Track, _ wanted: TrackFragment, _ bytes: [UInt8]
    ) -> String? {
        guard read.id == wanted.trackID, read.decodeTime == wanted.decodeTime, read.isRelative else {
            return "its header differs"
        }
        guard read.samples.count == wanted.samples.count else { return "\(read.samples.count) samples were read" }
        for (sample, source) in zip(read.samples, wanted.samples) {
            guard sample.duration == source.duration, sample.compositionOffset == Int64(source.compositionOffset),
                sample.flags == source.flags, Int(sample.size) == source.size
            else { return "\(sample) is not \(source)" }
            guard sample.offset >= 0, sample.offset + source.size <= bytes.count,
                bytes[sample.offset..<(sample.offset + source.size)].allSatisfy({ UInt32($0) == wanted.trackID })
            else { return "the bytes at \(sample.offset) are of another track" }
        }
        return nil
    }

    // MARK: - Initialization sections

    private static func section(_ source: inout ValueSource) -> String? {
        var tracks: [TrackDescription] = []
        for number in 1...(1 + Int(source.u8() & 1)) {
            var track = TrackDescription(
                id: UInt32(number), timescale: source.u32(), entry: entry(&source),
                language: source.flag() ? String(decoding: source.bytes(5), as: UTF8.self) : nil)
            if source.flag() { track.edit = TrackEdit(mediaTime: Int64(source.u32()), duration: source.u64()) }
            if source.flag() {
                track.bitRate = .init(bufferSize: source.u32(), maximum: source.u32(), average: source.u32())
            }
            track.rotation = DisplayRotation.allCases[Int(source.u8() & 3)]
            tracks.append(track)
        }
        guard let written = try? InitializationSection(tracks: tracks).bytes() else { return nil }
        guard let read = try? InitializationContents(written) else { return "what was written does not read" }
        guard read.tracks.count == tracks.count else { return "\(read.tracks.count) tracks were read" }
        for (read, wanted) in zip(read.tracks, tracks) {
            if read.id != wanted.id || read.timescale != wanted.timescale { return "track \(read.id) differs" }
            if read.entries.map(\.code) != [wanted.entry.code] { return "entries \(read.entries.map(\.code))" }
        }
        return nil
    }

    private static func entry(_ source: inout ValueSource) -> SampleEntry {
        let kind = source.u8() % 11
        let (width, height) = (Int(source.u16()), Int(source.u16()))
        let record = source.bytes(Int(source.u8()))
        let video: VideoSampleEntry.Codec? =
            switch kind {
            case 0: .avc(record)
            case 1: .hevc(record)
            case 2: .av1(record)
            case 3: .vp9(record)
            default: nil
            }
        if let video { return .video(VideoSampleEntry(codec: video, width: width, height: height)) }
        let audio: AudioSampleEntry.Codec =
            switch kind {
            case 4: .mp4a(record)
            case 5: .mpeg(objectType: record.first ?? 0x6B)
            case 6: .ac3(record)
            case 7: .eac3(record)
            case 8: .flac(record)
            case 9: .alac(record)
            default: .opus(record)
            }
        return .audio(AudioSampleEntry(codec: audio, sampleRate: width * height, channels: height))
    }
}

/// Values from the fuzzer's bytes, zeros after the last one.
struct ValueSource {
    private let content: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { content = bytes }

    mutating func u8() -> UInt8 {
        guard offset < content.count else { return 0 }
        defer { offset += 1 }
        return content[offset]
    }
    mutating func flag() -> Bool { u8() & 1 == 1 }
    mutating func u16() -> UInt16 { UInt16(u8()) << 8 | UInt16(u8()) }
    mutating func u32() -> UInt32 { UInt32(u16()) << 16 | UInt32(u16()) }
    mutating func u64() -> UInt64 { UInt64(u32()) << 32 | UInt64(u32()) }
    mutating func bytes(_ count: Int) -> [UInt8] {
        let part = Array(content[offset..<min(offset + count, content.count)])
        offset += part.count
        return part
    }
}
