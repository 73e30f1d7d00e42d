import CFFmpeg
import Glibc
import SluiceCore
import Testing

@testable import SluiceAV

private func failure(_ bytes: [UInt8], hint: String? = nil) -> NodeFailure? {
    do {
        _ = try FormatReader(source: MemorySource(bytes), hint: hint)
        return nil
    } catch { return error }
}

private func failure(_ text: String, hint: String? = nil) -> NodeFailure? { failure(Array(text.utf8), hint: hint) }

/// xorshift64: the same garbage in every run.
private func noise(_ seed: UInt64, _ count: Int) -> [UInt8] {
    var state = seed
    return (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 24)
    }
}

@Test(arguments: [
    "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nhttp://127.0.0.1:9/a.ts\n",
    "\u{FEFF} \r\n\t#EXTM3U\n#EXTINF:4,\na.ts\n", "#EXTM3U\n",
])
func playlistIsNamedSo(body: String) {
    let found = failure(body)
    #expect(found?.code == .unsupported)
    #expect(found?.message.hasPrefix("HLS playlist") == true)
}

@Test func manifestsAndScriptsAreNamedAndRefused() {
    let cases: [(String, String, String?)] = [
        (
            "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" profiles=\"urn:mpeg:dash:profile:isoff-main:2011\"></MPD>",
            "DASH manifest", "a.mpd"
        ),
        ("ffconcat version 1.0\nfile '/etc/passwd'\n", "concat script", nil),
        (
            "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 9 RTP/AVP 0\n",
            "SDP session description", "a.sdp"
        ),
        ("# VobSub index file, v7 (do not modify this line!)\nsize: 720x576\n", "VobSub index", "a.idx"),
    ]
    for (body, name, hint) in cases {
        let found = failure(body, hint: hint)
        #expect(found?.code == .unsupported, "\(name): \(String(describing: found))")
        #expect(found?.message.hasPrefix(name) == true, "\(name): \(String(describing: found))")
    }
}

@Test func picturesAreRefusedByName() {
    let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + Array(repeating: 0, count: 200)
    let found = failure(png, hint: "a.png")
    #expect(found?.code == .unsupported && found?.message.contains("png_pipe") == true)
}

@Test func garbageIsNotMedia() {
    for seed in 1...12 as ClosedRange<UInt64> {
        let found = failure(noise(seed &* 0x9E37_79B9_7F4A_7C15, 200_000))
        #expect(found?.code == .notMedia, "seed \(seed): \(String(describing: found))")
    }
    #expect(failure([])?.code == .notMedia)
    #expect(failure([0])?.code == .notMedia)
    #expect(failure(Array(repeating: 0, count: 100_000))?.code == .notMedia)
    #expect(failure(String(repeating: "Lorem ipsum dolor sit amet, consectetur.\n", count: 500))?.code == .notMedia)
    #expect(failure("\u{1B}[31mred\u{1B}[0m\n", hint: "a.ans")?.code == .notMedia)
    #expect(failure("<html><head><title>403</title></head><body>no</body></html>", hint: "a.html")?.code == .notMedia)
}

/// The live context's own hook and protocol list, asked for a file that exists.
@Test(.enabled(if: Tool.isPresent)) func openContextReachesNothingButItsSource() throws {
    let path = try Sample.mp4.get()
    let reader = try FormatReader(source: MemorySource(contentsOf: path))
    let raw = reader.context.raw
    for address in [path, "file:" + path, "subfile,,start,0,end,0,,:" + path, "http://127.0.0.1:9/a", "data:,x"] {
        var transfer: UnsafeMutablePointer<AVIOContext>?
        let code = raw.pointee.io_open(raw, &transfer, address, AVIO_FLAG_READ, nil)
        #expect(code == -EPERM, "\(address)")
        #expect(transfer == nil)
    }

    var text: UnsafeMutablePointer<UInt8>?
    #expect(av_opt_get(raw, "protocol_whitelist", 0, &text) >= 0)
    #expect(text.map { String(cString: $0) } == "")
    av_freep(&text)
    #expect(raw.pointee.protocol_whitelist != nil, "no list would allow every protocol")

    // The same empty list, given to the call that demuxers bypass the hook with.
    var options: OpaquePointer?
    av_dict_set(&options, "protocol_whitelist", "", 0)
    defer { av_dict_free(&options) }
    var transfer: UnsafeMutablePointer<AVIOContext>?
    #expect(avio_open2(&transfer, "file:" + path, AVIO_FLAG_READ, nil, &options) < 0)
    #expect(transfer == nil)
    #expect(avio_open2(&transfer, "file:" + path, AVIO_FLAG_READ, nil, nil) >= 0, "without the list it would open")
    avio_closep(&transfer)
}

/// An MP4 whose media are said to lie in another file, by path and by alias.
@Test(.enabled(if: Tool.isPresent)) func externalDataReferenceIsNeverOpened() throws {
    let media = try Sample.bytes(Sample.mp4.get())
    let count = try drain(media)
    // `url ` with flag 1 says "in this file".
    let marker: [UInt8] = [0, 0, 0, 12] + Array("url ".utf8) + [0, 0, 0, 1]
    let places = media.indices.dropLast(marker.count).filter { media[$0..<$0 + marker.count].elementsEqual(marker) }
    #expect(places.count == 2)
    var bytes = media
    for place in places {
        bytes.replaceSubrange(place..<place + 12, with: [0, 0, 0, 12] + Array("alis".utf8) + [0, 0, 0, 0])
    }
    #expect(try drain(bytes) == count, "read from the source itself")

    let address = Array("http://127.0.0.1:9/x.mov\0".utf8)
    let reference = box("rdrf", [0, 0, 0, 0] + Array("url ".utf8) + [0, 0, 0, UInt8(address.count)] + address)
    let redirect = box("ftyp", Array("qt  ".utf8) + [0, 0, 0, 0]) + box("moov", box("rmra", box("rmda", reference)))
    #expect(failure(redirect) != nil)
}

private func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    let size = UInt32(body.count + 8)
    return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8) + body
}

private func drain(_ bytes: [UInt8]) throws -> Int {
    var reader = try FormatReader(source: MemorySource(bytes))
    var count = 0
    while try reader.readPacket() != nil { count += 1 }
    return count
}
