import Foundation
import SluiceBitstream
import SluiceCore
import SluiceTransport
import Testing

@testable import SluiceNodes

/// Initialization sections beside those of libavformat's mov muxer, box by box. Every difference is listed with its
/// reason; one that is not listed fails.
@Suite(.enabled(if: PlanSources.isPresent))
struct InitializationOracleTests {
    static let pictures = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=2"]
    static let sounds = ["-f", "lavfi", "-i", "sine=f=1000:r=48000:d=2"]

    static let cases: [(String, [String])] = [
        ("avc1.mkv", pictures + ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2"]),
        ("hvc1.mkv", pictures + ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error"]),
        ("av01.mkv", pictures + ["-c:v", "libsvtav1", "-preset", "12"]),
        ("vp09.mkv", pictures + ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"]),
        ("mp4a.mka", sounds + ["-c:a", "aac"]), ("ac-3.mka", sounds + ["-c:a", "ac3"]),
        ("ec-3.mka", sounds + ["-c:a", "eac3"]), ("fLaC.mka", sounds + ["-c:a", "flac"]),
        ("alac.mka", sounds + ["-c:a", "alac"]), ("Opus.mka", sounds + ["-c:a", "libopus"]),
    ]

    /// Boxes that differ, or that only one of the two writes, and why.
    static let explained: [String: String] = [
        "ftyp": "brands of a CMAF header instead of those of a plain file",
        "moov/trak/tkhd": "libavformat marks the alternate group of sound; ours are in playlists",
        "moov/trak/mdia/hdlr": "the handler's name is for people",
        "moov/trak/mdia/minf/stbl/stsd/*/btrt": "libavformat guesses a rate; ours is written where it is known",
        "moov/trak/mdia/minf/stbl/stsd/*/fiel": "says progressive, which is what its absence says",
        "moov/trak/mdia/minf/stbl/stsd/*/pasp": "says square samples, which is what its absence says",
        "moov/trak/mdia/minf/stbl/stsd/*/colr": "written where the pictures declare colours",
        "moov/trak/edts/elst": "delay is in the composition offsets (decisions D23)",
        "moov/trak/mdia/minf/stbl/sgpd": "roll recovery of sound is implied by the codec",
        "moov/trak/mdia/minf/stbl/sdtp": "an empty table that libavformat 5.1 leaves behind",
        "moov/udta/meta": "names the tool that wrote the file",
        "moov/trak/udta/name": "titles are in playlists",
    ]

    /// Fields of boxes that may differ, as bytes of the payload, and why; all others are compared.
    static let fields: [String: [(Range<Int>, String)]] = [
        "moov/mvhd": [
            (12..<16, "the movie's timescale; nothing in a fragmented file is counted on it"),
            (96..<100, "the next track's number; libavformat leaves it at 2 whatever it has written"),
        ],
        "moov/trak/mdia/mdhd": [
            (12..<16, "the timescale is chosen so that every sample lies on a tick"), (20..<22, "the language `und`"),
        ],
        "moov/trak/mdia/minf/stbl/stsd/*/vpcC": [
            (5..<6, "libavformat has no level for pictures of unknown rate"),
            (6..<10, "colour and chroma are the frame's own"),
        ],
        "moov/trak/mdia/minf/stbl/stsd/*/dfLa": [(4..<5, "STREAMINFO is the last block")],
    ]

    /// What of a box is compared.
    private static func compared(_ place: String, _ bytes: [UInt8]?) -> [UInt8]? {
        guard var bytes else { return nil }
        if place.hasSuffix("/esds") { return decoderConfiguration(bytes) }
        if place.hasSuffix("/hvcC") { return parameterSets(bytes) }
        for (range, _) in fields[place] ?? [] {
            for offset in range.clamped(to: 0..<bytes.count) { bytes[offset] = 0 }
        }
        return bytes
    }

    /// The whole record with its arrays of VPS, SPS and PPS: libavformat keeps the encoder's message as well, and leaves
    /// `array_completeness` at 0 although `hvc1` asks for 1 (ISO/IEC 14496-15 §8.4.1).
    private static func parameterSets(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 23 else { return bytes }
        var kept: [UInt8] = []
        var count: UInt8 = 0
        var offset = 23
        for _ in 0..<bytes[22] {
            let begin = offset
            guard offset + 3 <= bytes.count else { return bytes }
            let units = Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2])
            offset += 3
            for _ in 0..<units {
                guard offset + 2 <= bytes.count else { return bytes }
                offset += 2 + (Int(bytes[offset]) << 8 | Int(bytes[offset + 1]))
            }
            guard offset <= bytes.count, (32...34).contains(bytes[begin] & 0x3F) else { continue }
            kept += [bytes[begin] | 0x80] + bytes[(begin + 1)..<offset]
            count += 1
        }
        return bytes[0..<22] + [count] + kept
    }

    /// Object type, stream type and decoder specific information. libavformat numbers the stream (ES_ID), pads lengths
    /// to four bytes and guesses rates.
    private static func decoderConfiguration(_ bytes: [UInt8]) -> [UInt8] {
        var found: [UInt8] = []
        var offset = 4
        while offset + 2 <= bytes.count {
            let tag = bytes[offset]
            offset += 1
            var size = 0
            while offset < bytes.count {
                size = size << 7 | Int(bytes[offset] & 0x7F)
                offset += 1
                if bytes[offset - 1] & 0x80 == 0 { break }
            }
            switch tag {
            case 3: offset += 3
            case 4:
                found += bytes[offset..<min(offset + 2, bytes.count)]
                offset += 13
            default:
                found += [tag] + bytes[min(offset, bytes.count)..<min(offset + size, bytes.count)]
                offset += size
            }
        }
        return found
    }

    @Test(arguments: cases.indices)
    func everyDifferenceIsExplained(number: Int) throws {
        let (name, arguments) = Self.cases[number]
        let path = try PlanSources.make("init-\(name)", arguments).get()
        let movie = try PlanSources.copy(
            .success(path), "init-\(name).mp4",
            [
                "-strict", "-2", "-tag:v", name.hasPrefix("hvc1") ? "hvc1" : "0", "-movflags",
                "empty_moov+default_base_moof+frag_keyframe+delay_moov", "-f", "mp4",
            ]
        ).get()
        let theirs = [UInt8](try #require(FileManager.default.contents(atPath: movie)))

        let source = try Transport.open(path)
        defer { source.close() }
        var options = PlanBuilder.Options()
        options.basis = .scan
        let title = try PlanBuilder.title(source, hint: path, options: options)
        let mux = try SegmentMultiplexer(facts: title.facts, plan: title.plan, isMuxed: false)
        let ours = try #require(try mux.initializations().first).chunks.joined()

        let (left, right) = (try Self.leaves(ours), try Self.leaves(theirs))
        for place in Set(left.keys).union(right.keys).sorted()
        where Self.compared(place, left[place]) != Self.compared(place, right[place]) {
            #expect(
                Self.explained[place] != nil,
                "\(name): \(place) ours \(Self.hex(left[place])) theirs \(Self.hex(right[place]))")
        }
        if let record = left.first(where: { $0.key.hasSuffix("/hvcC") })?.value {
            // Compared as they are: three arrays, all complete.
            #expect(record == Self.parameterSets(record) && record[22] == 3, "\(Self.hex(record))")
        }
        let entry = String(name.prefix(4))
        #expect(ours.firstRange(of: Array(entry.utf8)) != nil, "\(name): the sample entry")
    }

    private static func hex(_ bytes: [UInt8]?) -> String {
        bytes.map { $0.prefix(48).map { String(format: "%02x", $0) }.joined() } ?? "absent"
    }

    /// Payloads of the boxes up to and with `moov`, by path; sample entries count as `*`, and their own fields as a leaf.
    private static func leaves(_ bytes: [UInt8]) throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        func walk(_ range: Range<Int>, _ path: String) {
            var offset = range.lowerBound
            while offset + 8 <= range.upperBound {
                let size = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
                let type = String(decoding: bytes[(offset + 4)..<(offset + 8)], as: UTF8.self)
                guard size >= 8, offset + size <= range.upperBound else { return }
                let payload = (offset + 8)..<(offset + size)
                let isEntry = path.hasSuffix("stsd")
                let place = path.isEmpty ? type : "\(path)/\(isEntry ? "*" : type)"
                switch type {
                case "moof", "mdat": return
                case "moov", "trak", "mdia", "minf", "stbl", "mvex", "dinf", "edts", "udta": walk(payload, place)
                case "stsd": walk((payload.lowerBound + 8)..<payload.upperBound, place)
                case _ where isEntry:
                    let isPicture = ["avc1", "hvc1", "av01", "vp09"].contains(type)
                    let fields = payload.lowerBound + (isPicture ? 78 : 28)
                    var head = Array(bytes[payload.lowerBound..<fields])
                    // The compressor's name is for people.
                    if isPicture { head.replaceSubrange(42..<74, with: [UInt8](repeating: 0, count: 32)) }
                    // libavformat says two channels whatever the sound has; the codec's own box knows.
                    if !isPicture { head.replaceSubrange(16..<18, with: [0, 0]) }
                    found[place + "/fields"] = Array(type.utf8) + head
                    walk(fields..<payload.upperBound, place)
                default: found[place] = Array(bytes[payload])
                }
                offset += size
            }
        }
        walk(0..<bytes.count, "")
        return found
    }
}
