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
        switch try PlaylistDocument(try fetch(root)) {
        case .media(let playlist):
            verify(playlist, root, name: root, &report)
            return report
        case .multivariant(let playlist): master = playlist
        }
        var uris: [String] = []
        for uri in master.variants.map(\.uri) + master.renditions.compactMap({ $0.kind == .audio ? $0.uri : nil })
        where !uris.contains(uri) { uris.append(uri) }
        for uri in uris {
            let place = Self.resolve(uri, against: root)
            do throws(NodeFailure) {
                guard case .media(let playlist) = try PlaylistDocument(try fetch(place)) else {
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
                if let map = segment.map { section = try fetch(Self.resolve(map.uri, against: place)) }
                if segment.isGap {
                    report.gaps += 1
                    continue
                }
                let bytes = try fetch(Self.resolve(segment.uri, against: place))
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

    private func fetch(_ place: String) throws(NodeFailure) -> [UInt8] {
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
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: part.prefix(count))
            offset += Int64(count)
            guard bytes.count <= Self.fileLimit else {
                throw NodeFailure(.limitExceeded, "'\(place)' has more than \(Self.fileLimit) bytes")
            }
        }
    }

    /// Relative references as the playlists that are verified use them: a path below the playlist's own folder, or a
    /// whole URL.
    private static func resolve(_ uri: String, against base: String) -> String {
        if uri.contains("://") || uri.hasPrefix("/") && !base.contains("://") { return uri }
        let plain = base.split(separator: "?", maxSplits: 1).first.map(String.init) ?? base
        guard let slash = plain.lastIndex(of: "/") else { return uri }
        return String(plain[...slash]) + uri
    }
}
