import Glibc
import SluiceCore
import SluiceNodes
import SluiceTransport

/// The files of a packaged title. Every call that writes blocks; one caller at a time.
final class PackageWriter: Sendable {
    private struct State {
        var written: Set<SegmentKey> = []
        var files = 0
        var bytes: Int64 = 0
        /// Held as long as files are written.
        var folder: PackageFolder?
    }

    /// What is packaged; no file of the presentation may take its place.
    let source: String

    let directory: String
    let layout: TitleLayout
    let texts: [SubtitleTrack]
    private let state = Locked(State())

    init(source: String, directory: String, layout: TitleLayout, texts: [SubtitleTrack] = []) {
        self.texts = texts
        self.source = source
        self.directory = directory
        self.layout = layout
    }

    /// Of the playlists, in order.
    private var names: [String] { layout.names + texts.map(\.rendition) }

    var files: Int { state.withLock { $0.files } }
    var bytes: Int64 { state.withLock { $0.bytes } }

    /// Makes the folders, holds them, and removes an earlier presentation.
    func prepare() throws(NodeFailure) {
        let folder = try PackageFolder(directory)
        try folder.clear(keeping: source, renditions: names)
        for name in ["master"] + names { try folder.claim("\(name).m3u8") }
        for name in names { try folder.makeFolder(name) }
        state.withLock { $0.folder = folder }
    }

    /// Writes a fragment to the file that is its own, and lets go of what is written.
    func write(_ fragment: consuming Fragment) throws(NodeFailure) {
        let key = SegmentKey(rendition: fragment.rendition, role: fragment.role)
        let bytes = fragment.byteCost
        var chunks: [ByteChunk] = []
        swap(&chunks, &fragment.chunks)
        try write(key.path, &chunks)
        state.withLock { state in
            state.files += 1
            state.bytes += Int64(bytes)
            state.written.insert(key)
        }
    }

    /// Writes a segment of a subtitle rendition.
    func write(_ key: SegmentKey, _ bytes: [UInt8]) throws(NodeFailure) {
        var chunks = [ByteChunk(bytes)]
        try write(key.path, &chunks)
        state.withLock { state in
            state.files += 1
            state.bytes += Int64(bytes.count)
            state.written.insert(key)
        }
    }

    func write(_ name: String, _ text: String) throws(NodeFailure) {
        var chunks = [ByteChunk(Array(text.utf8))]
        try write(name, &chunks)
    }

    private func write(_ name: String, _ chunks: inout [ByteChunk]) throws(NodeFailure) {
        try state.withLock({ $0.folder })?.claim(name)
        let file = try OutputFile(path: "\(directory)/\(name)", inputs: [source])
        try file.write(consuming: &chunks)
        try file.commit()
    }

    /// - Throws: `.sourceChanged` where a segment that the plan lists was not made, `.notFound` where it, or an
    ///   initialization section, was and is gone.
    func check(segments: Int) throws(NodeFailure) {
        let written = state.withLock { $0.written }
        if let gone = written.map(\.path).sorted().first(where: { access("\(directory)/\($0)", F_OK) != 0 }) {
            throw NodeFailure(.notFound, "'\(directory)/\(gone)' was written and is gone")
        }
        for name in names {
            let missing = (0..<segments).first { index in
                !written.contains(SegmentKey(rendition: name, role: .media(index: index)))
            }
            guard let missing else { continue }
            throw NodeFailure(
                .sourceChanged,
                "\(name): segment \(missing) of \(segments) was not made; the source is not what was planned")
        }
    }
}
