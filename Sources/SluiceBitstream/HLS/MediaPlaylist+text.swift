extension MediaPlaylist {
    /// The playlist as it is served: UTF-8, line feeds, a trailing line feed.
    public var text: String {
        var lines = PlaylistLines(version: version)
        writeHead(&lines)
        for segment in segments { segment.write(&lines) }
        if isEnded { lines.tag("EXT-X-ENDLIST") }
        return lines.text
    }

    private func writeHead(_ lines: inout PlaylistLines) {
        if let control = serverControl { lines.tag("EXT-X-SERVER-CONTROL", control.attributes) }
        lines.tag("EXT-X-TARGETDURATION", String(targetDuration))
        lines.tag("EXT-X-MEDIA-SEQUENCE", String(mediaSequence))
        if discontinuitySequence != 0 || (kind == .live && segments.contains { $0.isDiscontinuity }) {
            lines.tag("EXT-X-DISCONTINUITY-SEQUENCE", String(discontinuitySequence))
        }
        switch kind {
        case .vod: lines.tag("EXT-X-PLAYLIST-TYPE", "VOD")
        case .event: lines.tag("EXT-X-PLAYLIST-TYPE", "EVENT")
        case .live: break
        }
        if isIndependent { lines.tag("EXT-X-INDEPENDENT-SEGMENTS") }
        if isIFramesOnly { lines.tag("EXT-X-I-FRAMES-ONLY") }
        if let startOffset {
            var attributes = AttributeList()
            attributes.append("TIME-OFFSET", Decimal.signedText(startOffset, digits: 3))
            lines.tag("EXT-X-START", attributes)
        }
    }
}

extension MediaPlaylist.ServerControl {
    var attributes: AttributeList {
        var list = AttributeList()
        if canBlockReload { list.append("CAN-BLOCK-RELOAD", "YES") }
        if let canSkipUntil { list.append("CAN-SKIP-UNTIL", Decimal.text(canSkipUntil, digits: 3)) }
        if let holdBack { list.append("HOLD-BACK", Decimal.text(holdBack, digits: 3)) }
        return list
    }
}

extension MediaSegment {
    func write(_ lines: inout PlaylistLines) {
        if isDiscontinuity { lines.tag("EXT-X-DISCONTINUITY") }
        if let key { lines.tag("EXT-X-KEY", key.attributes) }
        if let map { lines.tag("EXT-X-MAP", map.attributes) }
        if let programDateTime { lines.tag("EXT-X-PROGRAM-DATE-TIME", programDateTime.description) }
        if isGap { lines.tag("EXT-X-GAP") }
        lines.tag("EXTINF", Decimal.text(microseconds: printedMicroseconds) + "," + PlaylistText.line(title))
        if let byteRange { lines.tag("EXT-X-BYTERANGE", byteRange.text) }
        lines.uri(uri)
    }
}

extension InitializationMap {
    var attributes: AttributeList {
        var list = AttributeList()
        list.append(quoted: "URI", uri)
        if let byteRange { list.append(quoted: "BYTERANGE", byteRange.text) }
        return list
    }
}

extension EncryptionKey {
    var attributes: AttributeList {
        var list = AttributeList()
        list.append("METHOD", method)
        if let uri { list.append(quoted: "URI", uri) }
        if let initializationVector { list.append("IV", initializationVector) }
        if let format { list.append(quoted: "KEYFORMAT", format) }
        return list
    }
}

extension ByteRange {
    /// `length` or `length@offset`.
    var text: String { offset.map { "\(length)@\($0)" } ?? String(length) }
}
