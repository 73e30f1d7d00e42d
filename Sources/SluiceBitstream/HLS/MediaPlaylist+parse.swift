import SluiceCore

extension MediaPlaylist {
    /// Reads the lines of a media playlist.
    init(_ scanner: PlaylistScanner) throws(NodeFailure) {
        var parser = MediaPlaylistParser()
        for (number, line) in scanner.lines {
            switch line {
            case .uri(let uri): try parser.uri(uri, line: number)
            case .tag(let name, let value): try parser.tag(name, value: value, line: number)
            }
        }
        self = try parser.finish()
    }
}

/// Tags apply to the next segment or to the playlist.
private struct MediaPlaylistParser {
    private var playlist = MediaPlaylist(kind: .live, segments: [], isEnded: false, targetDuration: 0)
    private var hasTarget = false
    private var pending = MediaSegment(uri: "", start: .zero, duration: .zero)
    private var microseconds: Int64?
    private var position: Int64 = 0

    mutating func tag(_ name: Substring, value: Substring, line: Int) throws(NodeFailure) {
        switch name {
        case "EXTINF", "EXT-X-BYTERANGE", "EXT-X-DISCONTINUITY", "EXT-X-KEY", "EXT-X-MAP", "EXT-X-PROGRAM-DATE-TIME",
            "EXT-X-GAP":
            try segmentTag(name, value: value, line: line)
        default: try playlistTag(name, value: value, line: line)
        }
    }

    private mutating func playlistTag(_ name: Substring, value: Substring, line: Int) throws(NodeFailure) {
        switch name {
        case "EXT-X-VERSION": playlist.version = try whole(name, value, line)
        case "EXT-X-TARGETDURATION":
            // Some origins write decimals; rounding up keeps the promise.
            guard let target = Decimal.microseconds(text: value) else {
                throw ParsedAttributes.failure(name, line, "not a number of seconds")
            }
            playlist.targetDuration = Int((target + 999_999) / 1_000_000)
            hasTarget = true
        case "EXT-X-MEDIA-SEQUENCE": playlist.mediaSequence = try whole(name, value, line)
        case "EXT-X-DISCONTINUITY-SEQUENCE": playlist.discontinuitySequence = try whole(name, value, line)
        case "EXT-X-PLAYLIST-TYPE":
            switch value {
            case "VOD": playlist.kind = .vod
            case "EVENT": playlist.kind = .event
            default: throw ParsedAttributes.failure(name, line, "neither VOD nor EVENT")
            }
        case "EXT-X-INDEPENDENT-SEGMENTS": playlist.isIndependent = true
        case "EXT-X-I-FRAMES-ONLY": playlist.isIFramesOnly = true
        case "EXT-X-ENDLIST": playlist.isEnded = true
        case "EXT-X-SERVER-CONTROL":
            let list = try ParsedAttributes(value, tag: name, line: line)
            let control = MediaPlaylist.ServerControl(
                canBlockReload: list.flag("CAN-BLOCK-RELOAD"), holdBack: try list.decimal("HOLD-BACK"),
                canSkipUntil: try list.decimal("CAN-SKIP-UNTIL"))
            playlist.serverControl = control == .init() ? nil : control
        case "EXT-X-START":
            playlist.startOffset = try ParsedAttributes(value, tag: name, line: line)
                .decimal("TIME-OFFSET", signed: true)
        default: break
        }
    }

    private mutating func segmentTag(_ name: Substring, value: Substring, line: Int) throws(NodeFailure) {
        switch name {
        case "EXTINF":
            let comma = value.utf8.firstIndex(of: 0x2C)
            guard let length = Decimal.microseconds(text: comma.map { value[..<$0] } ?? value) else {
                throw ParsedAttributes.failure(name, line, "not a number of seconds")
            }
            microseconds = length
            pending.title = comma.map { String(value[value.utf8.index(after: $0)...]) } ?? ""
        case "EXT-X-BYTERANGE": pending.byteRange = try ParsedAttributes.byteRange(value, tag: name, line: line)
        case "EXT-X-DISCONTINUITY": pending.isDiscontinuity = true
        case "EXT-X-GAP": pending.isGap = true
        case "EXT-X-PROGRAM-DATE-TIME": pending.programDateTime = ProgramDateTime(value)
        case "EXT-X-MAP":
            let list = try ParsedAttributes(value, tag: name, line: line)
            var map = InitializationMap(uri: try list.required("URI"))
            if let range = list["BYTERANGE"] {
                map.byteRange = try ParsedAttributes.byteRange(range, tag: name, line: line)
            }
            pending.map = map
        default:
            let list = try ParsedAttributes(value, tag: name, line: line)
            pending.key = EncryptionKey(
                method: try list.required("METHOD"), uri: list["URI"], initializationVector: list["IV"],
                format: list["KEYFORMAT"])
        }
    }

    mutating func uri(_ uri: Substring, line: Int) throws(NodeFailure) {
        guard let length = microseconds else {
            throw NodeFailure(.malformedInput, "playlist line \(line): segment without EXTINF")
        }
        guard playlist.segments.count < PlaylistDocument.entryLimit else {
            throw NodeFailure(
                .limitExceeded, "playlist line \(line): more than \(PlaylistDocument.entryLimit) segments")
        }
        pending.uri = String(uri)
        pending.start = .microseconds(position)
        pending.duration = .microseconds(length)
        let (sum, overflow) = position.addingReportingOverflow(length)
        guard !overflow else { throw NodeFailure(.malformedInput, "playlist line \(line): durations overflow") }
        position = sum
        playlist.segments.append(pending)
        pending = MediaSegment(uri: "", start: .zero, duration: .zero)
        microseconds = nil
    }

    /// Throws where EXT-X-TARGETDURATION is missing.
    func finish() throws(NodeFailure) -> MediaPlaylist {
        guard hasTarget else { throw NodeFailure(.malformedInput, "media playlist without EXT-X-TARGETDURATION") }
        return playlist
    }

    private func whole(_ name: Substring, _ value: Substring, _ line: Int) throws(NodeFailure) -> Int {
        guard value.utf8.count <= 18, let number = Int(value), number >= 0 else {
            throw ParsedAttributes.failure(name, line, "not a whole number")
        }
        return number
    }
}
