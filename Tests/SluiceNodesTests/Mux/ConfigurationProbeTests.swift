import Foundation
import SluiceBitstream
import SluiceCore
import SluiceTransport
import TestTools
import Testing

@testable import SluiceNodes

/// What ffprobe reads from our initialization sections, beside what it reads from the source; rates beside what it counts.
@Suite(.enabled(if: PlanSources.isPresent))
struct ConfigurationProbeTests {
    private static let pictures = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=2"]
    private static func tones(_ channels: String) -> [String] {
        ["-f", "lavfi", "-i", "sine=f=1000:r=48000:d=3", "-af", "aformat=channel_layouts=\(channels)"]
    }

    /// Name, how it is made, and whether the container's configuration is to come out byte by byte.
    static let cases: [(name: String, arguments: [String], keepsRecord: Bool)] = [
        ("av1.mkv", pictures + ["-c:v", "libsvtav1", "-preset", "12"], true),
        ("avc.mp4", pictures + PlanSources.x264, true),
        ("aac.m4a", tones("stereo") + ["-c:a", "aac"], true),
        ("aac51.mka", tones("5.1") + ["-c:a", "aac"], true),
        ("flac.flac", tones("stereo") + ["-c:a", "flac"], true),
        ("flac51.mka", tones("5.1") + ["-c:a", "flac"], true),
        ("ac3.mka", tones("5.1(side)") + ["-c:a", "ac3"], false),
        ("eac3.mka", tones("5.1(side)") + ["-c:a", "eac3"], false),
        ("eac3mono.mka", tones("mono") + ["-c:a", "eac3"], false),
        ("opus.webm", tones("stereo") + ["-c:a", "libopus"], false),
    ]

    private static func packaged(_ name: String, _ arguments: [String]) async throws -> (source: String, ours: String) {
        let path = try PlanSources.make("configuration-\(name)", arguments).get()
        let source = try Transport.open(path)
        var options = PlanBuilder.Options()
        options.basis = .scan
        let title = try PlanBuilder.title(source, hint: path, options: options)
        source.close()
        let fragments = try await MuxRun.collect(path, title, from: nil)
        var bytes = fragments.first { $0.key.index == nil }?.value ?? []
        for index in title.plan.segments.indices { bytes += fragments.first { $0.key.index == index }?.value ?? [] }
        let ours = PlanSources.directory + "/configuration-\(name).ours.mp4"
        try Data(bytes).write(to: URL(fileURLWithPath: ours))
        return (path, ours)
    }

    private static func probe(_ path: String, _ entries: String) throws -> [String] {
        let text = try ExternalTool.text(
            "ffprobe",
            ["-v", "error", "-show_data_hash", "md5", "-show_entries", entries, "-of", "default=nk=0", path])
        return text.split(separator: "\n").map(String.init).filter { $0.contains("=") }
    }

    @Test(arguments: cases.indices)
    func probesReadWhatTheyReadFromTheSource(number: Int) async throws {
        let (name, arguments, keepsRecord) = Self.cases[number]
        let (source, ours) = try await Self.packaged(name, arguments)
        var entries =
            "stream=codec_name,profile,level,width,height,pix_fmt,sample_rate,channels,bits_per_raw_sample"
        // FLAC numbers its channels; whether the rear ones count as side or back, each demuxer decides for itself.
        if !name.hasPrefix("flac") { entries += ",channel_layout" }
        if keepsRecord { entries += ",extradata_size,extradata_hash" }
        let (left, right) = (try Self.probe(ours, entries), try Self.probe(source, entries))
        #expect(!left.isEmpty && left == right, "\(name)")
        if keepsRecord { #expect(left.contains { $0.hasPrefix("extradata_hash=MD5:") }, "\(name)") }
    }

    /// Field by field: ES_ID 0 and no flags; AAC, an audio stream; rates as ffprobe counts them; the predefined
    /// configuration for files.
    ///
    /// - Note: ISO/IEC 14496-1 §7.2.6.5, §7.2.6.6, §7.3.2.3.
    @Test func everyFieldOfAnElementaryStreamDescriptorIsRight() async throws {
        let (source, ours) = try await Self.packaged("esds.m4a", Self.tones("stereo") + ["-c:a", "aac"])
        let box = try #require(try Self.box("esds", ours))

        #expect(box[0..<4] == [0, 0, 0, 0])
        let stream = try #require(Self.descriptor(box, 4))
        #expect(stream.tag == 3 && Array(stream.content.prefix(3)) == [0, 0, 0])
        let decoder = try #require(Self.descriptor(stream.content, 3))
        #expect(decoder.tag == 4 && Array(decoder.content.prefix(2)) == [0x40, 0x15])
        let specific = try #require(Self.descriptor(decoder.content, 13))
        #expect(specific.tag == 5)
        // AAC-LC, 48 kHz, two channels: 00010 0011 0010 000.
        #expect(Array(specific.content.prefix(2)) == [0x11, 0x90])
        let sync = try #require(Self.descriptor(stream.content, decoder.end))
        #expect(sync.tag == 6 && sync.content == [2] && sync.end == stream.content.count)
        #expect(stream.end == box.count)

        let rate = try Self.measuredRate(source)
        let (maximum, average) = (Self.number(decoder.content, 5), Self.number(decoder.content, 9))
        #expect(abs(Double(average) - rate) < rate / 50, "\(average), counted \(rate)")
        #expect(maximum >= average)
    }

    @Test(
        arguments: [
            ("btrt.mp4", pictures + PlanSources.x264), ("btrt.mka", tones("stereo") + ["-c:a", "ac3"]),
        ] as [(String, [String])])
    func bitRatesAreWhatThePacketsComeTo(name: String, arguments: [String]) async throws {
        let (source, ours) = try await Self.packaged(name, arguments)
        let box = try #require(try Self.box("btrt", ours))
        #expect(box.count == 12)
        let rate = try Self.measuredRate(source)
        let (maximum, average) = (Self.number(box, 4), Self.number(box, 8))
        #expect(abs(Double(average) - rate) < rate / 50, "\(average), counted \(rate)")
        #expect(maximum >= average)
    }

    // MARK: - Reading

    /// Bits a second of all packets of a file with one stream.
    private static func measuredRate(_ path: String) throws -> Double {
        var (bits, length) = (0.0, 0.0)
        for line in try probe(path, "packet=size,duration_time") {
            let pair = line.split(separator: "=")
            if pair[0] == "size" { bits += 8 * (Double(pair[1]) ?? 0) }
            if pair[0] == "duration_time" { length += Double(pair[1]) ?? 0 }
        }
        return bits / length
    }

    private static func box(_ type: String, _ path: String) throws -> [UInt8]? {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        guard let found = bytes.firstRange(of: Array(type.utf8)), found.lowerBound >= 4 else { return nil }
        let size = Int(number(bytes, found.lowerBound - 4))
        return Array(bytes[found.upperBound..<(found.lowerBound - 4 + size)])
    }

    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func descriptor(_ bytes: [UInt8], _ start: Int) -> (tag: UInt8, content: [UInt8], end: Int)? {
        var (offset, size) = (start + 1, 0)
        while offset < bytes.count {
            size = size << 7 | Int(bytes[offset] & 0x7F)
            offset += 1
            if bytes[offset - 1] & 0x80 == 0 { break }
        }
        guard offset + size <= bytes.count else { return nil }
        return (bytes[start], Array(bytes[offset..<(offset + size)]), offset + size)
    }
}
