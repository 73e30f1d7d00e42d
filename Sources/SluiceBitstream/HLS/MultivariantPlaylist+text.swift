extension MultivariantPlaylist {
    /// The playlist as it is served: UTF-8, line feeds, a trailing line feed.
    public var text: String {
        var lines = PlaylistLines(version: version)
        if isIndependent { lines.tag("EXT-X-INDEPENDENT-SEGMENTS") }
        for rendition in renditions { lines.tag("EXT-X-MEDIA", rendition.attributes) }
        for variant in variants {
            lines.tag("EXT-X-STREAM-INF", variant.attributes)
            lines.uri(variant.uri)
        }
        for variant in iFrameVariants { lines.tag("EXT-X-I-FRAME-STREAM-INF", variant.attributes) }
        return lines.text
    }
}

extension Rendition {
    var attributes: AttributeList {
        var list = AttributeList()
        list.append("TYPE", kind.rawValue)
        list.append(quoted: "GROUP-ID", group)
        list.append(quoted: "NAME", name)
        if let language { list.append(quoted: "LANGUAGE", language) }
        list.append("DEFAULT", isDefault ? "YES" : "NO")
        // DEFAULT=YES requires AUTOSELECT=YES where it is present.
        list.append("AUTOSELECT", isAutoselected || isDefault ? "YES" : "NO")
        if kind == .subtitles { list.append("FORCED", isForced ? "YES" : "NO") }
        if let instreamID { list.append(quoted: "INSTREAM-ID", instreamID) }
        if !characteristics.isEmpty { list.append(quoted: "CHARACTERISTICS", characteristics.joined(separator: ",")) }
        if let channels { list.append(quoted: "CHANNELS", channels) }
        if let uri { list.append(quoted: "URI", uri) }
        return list
    }
}

extension AttributeList {
    /// The attributes that variants and I-frame variants share, in their order.
    fileprivate mutating func appendStream(
        bandwidth: Int, average: Int?, codecs: [String], supplemental: [String], resolution: Resolution?
    ) {
        append("BANDWIDTH", String(bandwidth))
        if let average { append("AVERAGE-BANDWIDTH", String(average)) }
        if !codecs.isEmpty { append(quoted: "CODECS", codecs.joined(separator: ",")) }
        if !supplemental.isEmpty { append(quoted: "SUPPLEMENTAL-CODECS", supplemental.joined(separator: ",")) }
        if let resolution { append("RESOLUTION", "\(resolution.width)x\(resolution.height)") }
    }
}

extension Variant {
    var attributes: AttributeList {
        var list = AttributeList()
        list.appendStream(
            bandwidth: bandwidth, average: averageBandwidth, codecs: codecs, supplemental: supplementalCodecs,
            resolution: resolution)
        if let frameRate { list.append("FRAME-RATE", Decimal.text(frameRate, digits: 3)) }
        if let videoRange { list.append("VIDEO-RANGE", videoRange.rawValue) }
        if let hdcpLevel { list.append("HDCP-LEVEL", hdcpLevel) }
        if let audioGroup { list.append(quoted: "AUDIO", audioGroup) }
        switch closedCaptions {
        case .noneFound: list.append("CLOSED-CAPTIONS", "NONE")
        case .group(let group): list.append(quoted: "CLOSED-CAPTIONS", group)
        case nil: break
        }
        if let subtitleGroup { list.append(quoted: "SUBTITLES", subtitleGroup) }
        return list
    }
}

extension IFrameVariant {
    var attributes: AttributeList {
        var list = AttributeList()
        list.appendStream(
            bandwidth: bandwidth, average: averageBandwidth, codecs: codecs, supplemental: supplementalCodecs,
            resolution: resolution)
        if let videoRange { list.append("VIDEO-RANGE", videoRange.rawValue) }
        if let hdcpLevel { list.append("HDCP-LEVEL", hdcpLevel) }
        list.append(quoted: "URI", uri)
        return list
    }
}
