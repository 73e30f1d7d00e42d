import SluiceCore

extension MultivariantPlaylist {
    /// Reads the lines of a multivariant playlist.
    ///
    /// Variants without their URI line and renditions of unknown type are left out.
    init(_ scanner: PlaylistScanner) throws(NodeFailure) {
        self.init()
        var pending: ParsedAttributes?
        for (number, line) in scanner.lines {
            guard renditions.count + variants.count + iFrameVariants.count < PlaylistDocument.entryLimit else {
                throw NodeFailure(
                    .limitExceeded, "playlist line \(number): more than \(PlaylistDocument.entryLimit) entries")
            }
            switch line {
            case .uri(let uri):
                guard let attributes = pending else {
                    throw NodeFailure(.malformedInput, "playlist line \(number): URI without EXT-X-STREAM-INF")
                }
                variants.append(try Variant(attributes, uri: String(uri)))
                pending = nil
            case .tag("EXT-X-STREAM-INF", let value):
                pending = try ParsedAttributes(value, tag: "EXT-X-STREAM-INF", line: number)
            case .tag("EXT-X-MEDIA", let value):
                let attributes = try ParsedAttributes(value, tag: "EXT-X-MEDIA", line: number)
                if let rendition = try Rendition(attributes) { renditions.append(rendition) }
            case .tag("EXT-X-I-FRAME-STREAM-INF", let value):
                let attributes = try ParsedAttributes(value, tag: "EXT-X-I-FRAME-STREAM-INF", line: number)
                iFrameVariants.append(try IFrameVariant(attributes))
            case .tag("EXT-X-INDEPENDENT-SEGMENTS", _): isIndependent = true
            case .tag("EXT-X-VERSION", let value): version = value.utf8.count <= 4 ? Int(value) ?? 1 : 1
            case .tag("EXTINF", _), .tag("EXT-X-TARGETDURATION", _):
                throw NodeFailure(
                    .malformedInput, "playlist line \(number): media playlist tag in a multivariant playlist")
            case .tag: break
            }
        }
    }
}

extension Rendition {
    /// nil for a TYPE nobody knows.
    fileprivate init?(_ list: ParsedAttributes) throws(NodeFailure) {
        guard let kind = Kind(rawValue: try list.required("TYPE")) else { return nil }
        self.init(kind: kind, group: try list.required("GROUP-ID"), name: try list.required("NAME"), uri: list["URI"])
        language = list["LANGUAGE"]
        isDefault = list.flag("DEFAULT")
        isAutoselected = list.flag("AUTOSELECT") || isDefault
        isForced = kind == .subtitles && list.flag("FORCED")
        characteristics = list.list("CHARACTERISTICS")
        channels = list["CHANNELS"]
        instreamID = list["INSTREAM-ID"]
    }
}

extension Variant {
    fileprivate init(_ list: ParsedAttributes, uri: String) throws(NodeFailure) {
        self.init(uri: uri, bandwidth: try list.bandwidth())
        averageBandwidth = try list.integer("AVERAGE-BANDWIDTH")
        codecs = list.list("CODECS")
        supplementalCodecs = list.list("SUPPLEMENTAL-CODECS")
        resolution = try list.resolution()
        frameRate = try list.decimal("FRAME-RATE")
        videoRange = list["VIDEO-RANGE"].flatMap(VideoRange.init(rawValue:))
        hdcpLevel = list["HDCP-LEVEL"]
        audioGroup = list["AUDIO"]
        subtitleGroup = list["SUBTITLES"]
        closedCaptions = list["CLOSED-CAPTIONS"].map { $0 == "NONE" ? .noneFound : .group($0) }
    }
}

extension IFrameVariant {
    fileprivate init(_ list: ParsedAttributes) throws(NodeFailure) {
        self.init(uri: try list.required("URI"), bandwidth: try list.bandwidth())
        averageBandwidth = try list.integer("AVERAGE-BANDWIDTH")
        codecs = list.list("CODECS")
        supplementalCodecs = list.list("SUPPLEMENTAL-CODECS")
        resolution = try list.resolution()
        videoRange = list["VIDEO-RANGE"].flatMap(VideoRange.init(rawValue:))
        hdcpLevel = list["HDCP-LEVEL"]
    }
}

extension ParsedAttributes {
    /// 0 where a server left the required attribute out.
    fileprivate func bandwidth() throws(NodeFailure) -> Int { try integer("BANDWIDTH") ?? 0 }
}
