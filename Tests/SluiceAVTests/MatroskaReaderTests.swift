import Foundation
import SluiceCore
import Testing

@testable import SluiceAV

/// Packets that are read past the library, against those that the library reads.
@Suite(.enabled(if: Tool.isPresent)) struct MatroskaReaderTests {
    private struct Line: Hashable {
        var stream: StreamID
        var presentation: Int64?
        var decode: Int64?
        var duration: Int64
        var isKey: Bool
        var position: Int64?
        var sideData: [SideData]
        var bytes: [UInt8]
        var corrupt: Bool

        init(_ packet: Packet) {
            stream = packet.stream
            presentation = packet.presentationTicks
            decode = packet.decodeTicks
            duration = packet.durationTicks
            isKey = packet.isKeyframe
            position = packet.filePosition
            sideData = packet.sideData
            bytes = packet.bytes
            corrupt = packet.isCorrupt
        }
    }

    private static let served: Set<CodecName> = [
        "h264", "hevc", "av1", "vp9", "aac", "ac3", "eac3", "flac", "alac",
    ]

    private func open(_ path: String, _ source: any ByteSource, byLibrary: Bool) throws -> FormatReader? {
        var reader = try FormatReader(source: source, hint: path, budget: Self.bare)
        reader.select(Set(reader.streams.filter { Self.served.contains($0.codec) }.map(\.id)))
        guard reader.streams.contains(where: { $0.parked == nil }) else { return nil }
        reader.trustContainer()
        if byLibrary { Self.leave(&reader) }
        return reader
    }

    private static let bare: ProbeBudget = {
        var budget = ProbeBudget.playback
        budget.inspectsStreams = false
        return budget
    }()

    private static func leave(_ reader: inout FormatReader) {
        reader.layout = nil
        reader.walker = nil
    }

    /// All packets to the end, or as many as are asked for; the end's reason last.
    private func lines(_ reader: inout FormatReader, limit: Int = .max) -> ([Line], String) {
        var lines: [Line] = []
        do throws(NodeFailure) {
            while lines.count < limit, let packet = try reader.readPacket() { lines.append(Line(packet)) }
        } catch {
            return (lines, "\(error)")
        }
        return (lines, reader.endReason.map { "\($0)" } ?? "")
    }

    /// - Returns: whether the library was not needed.
    @discardableResult
    private func compare(_ path: String) throws -> Bool {
        guard var own = try? open(path, DiskSource(path), byLibrary: false),
            var library = try open(path, DiskSource(path), byLibrary: true)
        else { return false }
        let isWalked = own.layout != nil
        let found = lines(&own)
        let expected = lines(&library)
        #expect(found.0.count == expected.0.count, "\(path)")
        let different = zip(found.0, expected.0).enumerated().first { $0.element.0 != $0.element.1 }
        #expect(different == nil, "\(path): packet \(different?.offset ?? 0)")
        #expect(found.1 == expected.1, "\(path)")
        let isUnaided = own.walker != nil
        try compareSeeks(path, &own)
        return isWalked && isUnaided
    }

    private func compareSeeks(_ path: String, _ own: inout FormatReader) throws {
        let streams = own.streams.filter { $0.parked == nil }.map(\.id)
        for stream in streams {
            guard var library = try open(path, DiskSource(path), byLibrary: true) else { return }
            try? library.loadIndex()
            let places = library.keyframeIndex(stream)
            for place in places.enumerated().filter({ $0.offset % max(1, places.count / 5) == 0 }).map(\.element) {
                for ticks in [place.ticks, place.ticks + 7] {
                    guard var library = try open(path, DiskSource(path), byLibrary: true),
                        var fresh = try open(path, DiskSource(path), byLibrary: false)
                    else { return }
                    try library.seek(stream: stream, toTicks: ticks)
                    try fresh.seek(stream: stream, toTicks: ticks)
                    Self.leave(&library)
                    let expected = lines(&library, limit: 60)
                    #expect(lines(&fresh, limit: 60) == expected, "\(path) at \(ticks) of \(stream)")
                    // And of a reader that has been elsewhere.
                    if (try? own.seek(stream: stream, toTicks: ticks)) != nil {
                        #expect(lines(&own, limit: 60).0.first == expected.0.first, "\(path) at \(ticks), again")
                    }
                }
            }
        }
        try own.rewind()
        guard var library = try open(path, DiskSource(path), byLibrary: true) else { return }
        #expect(lines(&own, limit: 60) == lines(&library, limit: 60), "\(path), rewound")
    }

    private static let pictures = [
        "-v", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=8", "-f", "lavfi",
        "-i", "sine=frequency=440:sample_rate=48000:duration=8", "-map", "0:v", "-map", "1:a", "-c:v", "libx264",
        "-preset", "ultrafast", "-bf", "2", "-g", "25", "-pix_fmt", "yuv420p",
    ]

    @Test(arguments: [
        ("aac.mkv", ["-c:a", "aac"]),
        ("ac3.mkv", ["-c:a", "ac3", "-cluster_time_limit", "500"]),
        ("flac.mkv", ["-c:a", "flac", "-b:v", "4M", "-minrate", "4M", "-bufsize", "1M", "-nal-hrd", "cbr"]),
        ("two.mkv", ["-map", "1:a", "-c:a:0", "eac3", "-c:a:1", "libmp3lame"]),
        ("cues.mkv", ["-c:a", "aac", "-reserve_index_space", "50k"]),
        ("large.mkv", ["-c:a", "aac", "-qp", "0"]),
        ("offset.mkv", ["-c:a", "aac", "-output_ts_offset", "3.5"]),
    ])
    func madeFilesAreReadWithoutTheLibrary(name: String, options: [String]) throws {
        let path = Sample.directory + "/walk-" + name
        try Tool.run("ffmpeg", Self.pictures + options + [path])
        #expect(try compare(path), "\(name) was left to the library")
    }

    @Test func whatIsUnusualIsLeftToTheLibrary() throws {
        let live = Sample.directory + "/walk-live.mkv"
        try Tool.run("ffmpeg", Self.pictures + ["-c:a", "aac", "-live", "1", live])
        try compare(live)
        let plain = Sample.directory + "/walk-plain.mkv"
        try Tool.run("ffmpeg", Self.pictures + ["-c:a", "aac", plain])
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: plain)))
        for (number, cut) in [bytes.count / 3, bytes.count - 100].enumerated() {
            let path = Sample.directory + "/walk-cut-\(number).mkv"
            try Data(bytes[..<cut]).write(to: URL(fileURLWithPath: path))
            try compare(path)
        }
        // Damage at many places: the library takes over wherever it lies.
        for number in 0..<24 {
            var damaged = bytes
            damaged[bytes.count / 25 * (number + 1)] ^= 0xFF
            if let place = damaged[(bytes.count / 30 * (number + 1))...].firstIndex(of: 0xA3) { damaged[place] = 0xA7 }
            let path = Sample.directory + "/walk-damaged-\(number).mkv"
            try Data(damaged).write(to: URL(fileURLWithPath: path))
            try compare(path)
        }
    }

    @Test func packetsOutliveTheirReader() throws {
        let path = Sample.directory + "/walk-kept.mkv"
        try Tool.run("ffmpeg", Self.pictures + ["-c:a", "aac", path])
        var kept: [Packet] = []
        var expected: [[UInt8]] = []
        do {
            guard var reader = try open(path, DiskSource(path), byLibrary: false) else {
                Issue.record("nothing to read")
                return
            }
            while let packet = try reader.readPacket() {
                expected.append(packet.bytes)
                kept.append(packet)
            }
        }
        #expect(kept.map(\.bytes) == expected && kept.count > 500)
        // A copy that is changed leaves the slab; the others keep their bytes.
        var changed = kept[10]
        changed.withUnsafeMutableBytes { $0[0] ^= 0xFF }
        changed.setSideData(.newExtradata, [1, 2])
        changed.setPresentationTicks(77)
        #expect(changed.bytes != kept[10].bytes && kept[10].bytes == expected[10] && !kept[10].hasSideData)
        #expect(changed.newExtradata == [1, 2] && changed.filePosition == kept[10].filePosition)
        #expect(changed.makeLibraryPacket() == changed.storage.raw)
    }

    @Test(.enabled(if: RealMedia.directory != nil)) func realFilesAreReadAsTheLibraryReadsThem() throws {
        let root = try #require(RealMedia.directory)
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        var walked = 0
        for name in names.sorted() where [".mkv", ".webm", ".mka"].contains(where: name.hasSuffix) {
            if (try? compare(root + "/" + name)) == true { walked += 1 }
        }
        #expect(walked >= 5)
    }
}
