import Sluice
import SluiceCore

/// An origin that makes it hard for players, or adds what it does not serve itself.
final class HardOrigin: RequestResponder {
    enum Mode: Sendable {
        case plain
        /// A WebVTT rendition, ten seconds a file, a cue each two seconds.
        case subtitles
        /// Each media segment is refused once.
        case busy
        /// Segments 3 and 4 are gaps.
        case gaps
    }

    let mode = Locked(Mode.plain)
    /// Paths that were refused.
    let refusals = Locked<Set<String>>([])
    private let origin: any RequestResponder

    init(origin: any RequestResponder) { self.origin = origin }

    func respond(to request: Request) async -> Response {
        let path = request.path
        switch mode.withLock({ $0 }) {
        case .plain: break
        case .subtitles:
            if path.hasPrefix("/subtitles/") { return Self.subtitles(path) }
            guard path.hasSuffix("master.m3u8") else { break }
            return rewritten(await origin.respond(to: request)) { text in
                text.replacing(
                    "#EXT-X-STREAM-INF:",
                    with: """
                        #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="English",LANGUAGE="en",DEFAULT=YES,\
                        AUTOSELECT=YES,URI="/subtitles/en.m3u8"
                        #EXT-X-STREAM-INF:SUBTITLES="subs",
                        """)
            }
        case .busy:
            guard path.hasSuffix(".m4s"), refusals.withLock({ $0.insert(path).inserted }) else { break }
            return .unavailable("busy", retryAfter: 1)
        case .gaps:
            if path.hasSuffix("seg-3.m4s") || path.hasSuffix("seg-4.m4s") {
                refusals.withLock { _ = $0.insert(path) }
                return .notFound("a gap")
            }
            guard path.hasSuffix(".m3u8"), !path.hasSuffix("master.m3u8") else { break }
            return rewritten(await origin.respond(to: request)) { text in
                text.replacing(/(#EXTINF[^\n]*\n\S*seg-[34]\.m4s)/) { "#EXT-X-GAP\n\($0.1)" }
            }
        }
        return await origin.respond(to: request)
    }

    private func rewritten(_ response: Response, _ change: (String) -> String) -> Response {
        guard response.status == 200, case .bytes(let bytes) = response.body else { return response }
        var response = response
        response.body = .bytes(Array(change(String(decoding: bytes, as: UTF8.self)).utf8))
        response.headers["ETag"] = nil
        return response
    }

    private static func subtitles(_ path: String) -> Response {
        if path.hasSuffix(".m3u8") {
            let files = (0..<4).map { "#EXTINF:10,\n\($0).vtt\n" }.joined()
            return .text(
                "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-PLAYLIST-TYPE:VOD\n\(files)#EXT-X-ENDLIST\n",
                type: "application/vnd.apple.mpegurl")
        }
        let number = Int(path.split(separator: "/").last?.split(separator: ".").first ?? "") ?? 0
        let cues = stride(from: number * 10, to: number * 10 + 10, by: 2).map { second in
            "\n\(clock(second + 100)).000 --> \(clock(second + 101)).900\n<i>cue</i> of second \(second)\n"
        }
        // The file has a clock of its own: 1:40 of it is the title's beginning.
        return .text(
            "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:01:40.000\n" + cues.joined(),
            type: "text/vtt; charset=utf-8")
    }

    private static func clock(_ second: Int) -> String {
        let rest = second % 60
        return "0\(second / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}
