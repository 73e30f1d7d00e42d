import SluiceAV
import SluiceBitstream
public import SluiceCore
import SluiceTransport

/// What decoding a presentation segment by segment gave.
public struct PresentationReport: Sendable, Hashable {
    public struct Finding: Sendable, Hashable {
        /// `video segment 3`.
        public var place: String
        public var text: String
    }

    public var playlists = 0
    public var segments = 0
    /// Segments that the playlists declare as missing.
    public var gaps = 0
    public var frames = 0
    public var findings: [Finding] = []
}

/// Decodes every segment of an HLS presentation alone, its initialization section before it. Blocks.
public struct PresentationVerifier {
    /// Findings after which nothing more is listed.
    static let findingLimit = 256
    /// Bytes of one file that are read at most.
    static let fileLimit = 512 << 20

    private let progress: (String, Int) -> Void

    /// - Parameter progress: called with the playlist and the segment that is looked at.
    public init(progress: @escaping (String, Int) -> Void = { _, _ in }) { self.progress = progress }

    /// - Parameter place: a folder with a `master.m3u8`, or path or URL of a playlist.
    /// - Throws: what reading the first playlist throws; everything after that is a finding.
    public func verify(_ place: String) throws(NodeFailure) -> PresentationReport {
        var report = PresentationReport()
        let root = place.hasSuffix(".m3u8") || place.contains("://") ? place : place + "/master.m3u8"
        let master: MultivariantPlaylist
        let (text, found) = try locate(root)
        switch try PlaylistDocument(text) {
        case .media(let playlist):
            verify(playlist, found, name: root, &report)
            return report
        case .multivariant(let playlist): master = playlist
        }
        var uris: [String] = []
        for uri in master.variants.map(\.uri) + master.renditions.compactMap({ $0.kind == .audio ? $0.uri : nil })
        where !uris.contains(uri) { uris.append(uri) }
        for uri in uris {
            do throws(NodeFailure) {
                let (text, place) = try locate(try Self.resolve(uri, against: found))
                guard case .media(let playlist) = try PlaylistDocument(text) else {
                    throw NodeFailure(.malformedInput, "a multivariant playlist; expected a media playlist")
                }
                verify(playlist, place, name: uri, &report)
            } catch { note(uri, error.description, &report) }
        }
        return report
    }

    private func verify(
        _ playlist: MediaPlaylist, _ place: String, name: String, _ report: inout PresentationReport
    ) {
        report.playlists += 1
        var section: [UInt8] = []
        for (index, segment) in playlist.segments.enumerated() {
            progress(name, index)
            let title = "\(name) segment \(index)"
            do throws(NodeFailure) {
                if let map = segment.map { section = try fetch(try Self.resolve(map.uri, against: place)) }
                if segment.isGap {
                    report.gaps += 1
                    continue
                }
                let bytes = try fetch(try Self.resolve(segment.uri, against: place))
                try decode(section + bytes, title, &report)
            } catch { note(title, error.description, &report) }
        }
    }

    private func decode(_ bytes: [UInt8], _ title: String, _ report: inout PresentationReport) throws(NodeFailure) {
        report.segments += 1
        let outcomes = try SegmentDecoder.decode(MemorySource(bytes))
        if outcomes.isEmpty { note(title, "nothing that could be decoded", &report) }
        for outcome in outcomes {
            report.frames += outcome.frames
            let stream = "stream \(outcome.stream.index) (\(outcome.codec))"
            if let problem = outcome.problem {
                note(title, "\(stream): \(problem)", &report)
            } else if outcome.frames == 0 {
                note(title, "\(stream): nothing came out of \(outcome.packets) samples", &report)
            }
        }
    }

    private func note(_ place: String, _ text: String, _ report: inout PresentationReport) {
        guard report.findings.count < Self.findingLimit else { return }
        report.findings.append(PresentationReport.Finding(place: place, text: text))
    }

    // MARK: - Reading

    private func fetch(_ place: String) throws(NodeFailure) -> [UInt8] { try locate(place).bytes }

    /// The bytes of a file, and where they were found: what a playlist refers to is seen from there (RFC 3986 §5.1.3).
    private func locate(_ place: String) throws(NodeFailure) -> (bytes: [UInt8], place: String) {
        let source = try Transport.open(place)
        defer { source.close() }
        var bytes: [UInt8] = []
        var offset: Int64 = 0
        let block = 256 << 10
        while true {
            var part = [UInt8](repeating: 0, count: block)
            var failure: NodeFailure?
            let count = part.withUnsafeMutableBytes { buffer -> Int in
                do throws(NodeFailure) { return try source.read(into: buffer, at: offset) } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            guard count > 0 else { return (bytes, (source as? HTTPSource)?.location.absolute ?? place) }
            bytes.append(contentsOf: part.prefix(count))
            offset += Int64(count)
            guard bytes.count <= Self.fileLimit else {
                throw NodeFailure(.limitExceeded, "'\(place)' has more than \(Self.fileLimit) bytes")
            }
        }
    }

    /// References as playlists use them: relative to the playlist, or whole URLs.
    private static func resolve(_ uri: String, against base: String) throws(NodeFailure) -> String {
        if base.contains("://") { return try WebURL(base).resolving(uri).absolute }
        if uri.contains("://") || uri.hasPrefix("/") { return uri }
        guard let slash = base.lastIndex(of: "/") else { return uri }
        return String(base[...slash]) + uri
    }
}
